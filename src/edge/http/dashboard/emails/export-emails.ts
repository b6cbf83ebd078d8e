import { finished, Readable } from 'node:stream';
import { ExportEmailsQuery } from '../../../../contract/dashboard/email-log.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';
import { exportLines } from './export-lines.ts';

export const exportEmails = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/emails/export',
  role: 'viewer',
  summary: 'Export the emails of a project that a search finds',
  description:
    'CSV with a line of names, or a JSON object for each line. An export that breaks off was ended by an error, or with the session.',
  query: ExportEmailsQuery,
  success: { status: 200, description: 'A file.', media: 'application/octet-stream' },
  errors: ['validation-failed'],
  async run({ services, projectId, sessionToken, query: { q = '', format }, reply }) {
    const isWelcome = async () => {
      const found = await services.signedIn.find(sessionToken, { projectId });
      if (found === null || found.standing === null)
        throw new AppError('not-signed-in', 'The session has ended.');
    };
    const gone = new AbortController();
    // Not `close`: of a client that has gone already it may have been before.
    finished(reply.raw, () => gone.abort());
    const pages = await services.emailSearch.exporting(projectId, q, isWelcome, gone.signal);
    return reply
      .type('application/octet-stream')
      .header('content-disposition', `attachment; filename="emails.${format}"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(exportLines(pages, format)));
  },
});
