/** Scans complete files of links with ClamAV, in a worker process. Only one process of the installation scans, one file at a time. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { printable } from '../../rfc/smtp/reply.ts';
import { BackgroundScan } from '../../sending/background-scan.ts';
import type { ReadFile } from '../read-file.ts';
import { type ClamdAddress, type Scan, scanWithClamd } from './clamd.ts';
import { TIMINGS } from './timings.ts';

/** The key of the advisory lock that the scanning process holds. */
const LOCK = 7_340_074;
const MAX_REASON = 200;

export interface LinkScannerOptions {
  /** Needs two connections, because one connection holds the lock. */
  database: Database;
  clamd: ClamdAddress;
  read: ReadFile;
  logger: Logger;
}

const DUE_FILE = columnsOf({ projectId: 'uuid', id: 'uuid', octets: 'float8' });
type DueFile = RowOf<typeof DUE_FILE>;

export class LinkScanner extends BackgroundScan {
  readonly #options: LinkScannerOptions;
  readonly #stopped = new AbortController();

  constructor(options: LinkScannerOptions) {
    super({
      database: options.database,
      lock: LOCK,
      rest: 0,
      scanMs: TIMINGS.scanMs,
      idleMs: TIMINGS.scanMs,
      onError: (error) => options.logger.error({ err: error }, LOG_MESSAGES.filesNotScanned),
    });
    this.#options = options;
  }

  /** Scans until no file is left or a scan fails. After a failure, the next files would probably fail too. */
  protected override async work(session: Database): Promise<boolean> {
    while (!this.isStopped) {
      const file = await nextFile(session);
      if (file === null) return true;
      const scan = await this.#scan(file);
      if (scan === null) {
        if (!this.isStopped) await putOff(session, file);
        return true;
      }
      await settle(session, file, scan);
      if (scan.result === 'infected')
        this.#options.logger.warn(
          { projectId: encodeId('prj', file.projectId), found: scan.found },
          LOG_MESSAGES.virusFound,
        );
    }
    return false;
  }

  /** Stops the current scan; the file is scanned again later. */
  override async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort();
    await super[Symbol.asyncDispose]();
  }

  /** @returns null if the scan failed */
  async #scan(file: DueFile): Promise<Scan | null> {
    const { clamd, read, logger } = this.#options;
    try {
      const bytes = read(file, { start: 0, end: file.octets });
      return await scanWithClamd(clamd, bytes, this.#stopped.signal);
    } catch (error) {
      const reason = printable(error instanceof Error ? error.message : '', MAX_REASON);
      if (!this.isStopped) logger.warn({ reason }, LOG_MESSAGES.clamdSilent);
      return null;
    }
  }
}

/** The file that has waited longest, over all projects. */
async function nextFile(database: Database): Promise<DueFile | null> {
  const { rows } = await DUE_FILE.sql`
    select project_id, id, octets::float8 from link_files
    where scan is null and whole_at is not null and gone_at is null and scan_due_at <= now()
    order by scan_due_at limit 1`.execute(database);
  return rows[0] ?? null;
}

async function settle(database: Database, { projectId, id }: DueFile, scan: Scan): Promise<void> {
  const state = scan.result === 'too-large' ? 'unscanned' : scan.result;
  const found = scan.result === 'infected' ? scan.found : null;
  await sql`
    update link_files set scan = ${state}, scan_found = ${found}
    where project_id = ${projectId} and id = ${id}`.execute(database);
}

async function putOff(database: Database, { projectId, id }: DueFile): Promise<void> {
  await sql`
    update link_files set scan_due_at = now() + ${TIMINGS.retryMs} * interval '1 millisecond'
    where project_id = ${projectId} and id = ${id}`.execute(database);
}
