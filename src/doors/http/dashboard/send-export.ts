/** Sends an export as a file. The file is produced only as fast as the client downloads it. */
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { RequestScope } from '../../../accounts/signed-in.ts';
import type { ExportFormat } from '../../../contract/dashboard/email-log.ts';
import { AppError } from '../../../model/app-error.ts';
import { isAtLeast, type Role } from '../../../model/roles.ts';
import { csvLine } from '../../../rfc/csv/csv.ts';
import { responseAbortSignal } from '../response-end.ts';
import type { DashboardCall } from './operation.ts';

interface Export<Row> {
  /** The file name without its extension. */
  name: string;
  /** The project or organization that is exported, in which the user needs `role`. Default: the project in the path. */
  scope?: RequestScope;
  role?: Role;
  format: ExportFormat;
  columns: readonly string[];
  /** The CSV line of a row, with its line break. */
  csvOf(row: Row): string;
  /**
   * @param assertMayContinue call this before each page; it throws once the user may no longer read the data
   * @param onAbort aborted when the client stops the download
   */
  open(assertMayContinue: () => Promise<void>, onAbort: AbortSignal): Promise<AsyncIterable<readonly Row[]>>;
}

/** @throws AppError unavailable if too many exports are running, and the errors of `open` */
export async function sendExport<Row>(
  { services, projectId, sessionToken, reply }: DashboardCall,
  { name, scope = { projectId }, role = 'viewer', format, columns, csvOf, open }: Export<Row>,
): Promise<FastifyReply> {
  const assertMayContinue = async () => {
    const found = await services.signedIn.find(sessionToken, scope);
    if (found?.rights == null || !isAtLeast(found.rights.role, role))
      throw new AppError('not-signed-in', 'The session has ended. Sign in again.');
  };
  const onAbort = responseAbortSignal(reply);
  services.exportSlots.take(scope.projectId ?? scope.organizationId ?? '', onAbort);
  const pages = await open(assertMayContinue, onAbort);
  return reply
    .type('application/octet-stream')
    .header('content-disposition', `attachment; filename="${name}.${format}"`)
    .header('cache-control', 'no-store')
    .send(Readable.from(services.exportSlots.pacing(textOf(pages, format, columns, csvOf), onAbort)));
}

/** Yields the text of each page. */
async function* textOf<Row>(
  pages: AsyncIterable<readonly Row[]>,
  format: ExportFormat,
  columns: readonly string[],
  csvOf: (row: Row) => string,
): AsyncGenerator<string> {
  if (format === 'csv') yield csvLine(columns);
  const line = format === 'csv' ? csvOf : (row: Row) => `${JSON.stringify(row)}\n`;
  for await (const page of pages) yield page.map(line).join('');
}
