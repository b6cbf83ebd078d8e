/**
 * Indexes the words of emails in a worker. Over all machines, only one process indexes at a time. The indexer rests fifty-nine times as
 * long as it works, so that accepting and sending mail are not affected.
 */
import type { Logger } from 'pino';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, NIL_UUID } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { BackgroundScan } from '../../sending/background-scan.ts';
import { findOpen, indexAgain, indexNext, LEAST_EMAILS, settle } from './segments.ts';
import { TIMINGS } from './timings.ts';

/** The key of the advisory lock that the indexing process holds. */
const LOCK = 7_340_031;
/** The number of projects that one statement checks for enough unindexed emails. */
const SLICE = 50;
/** The maximum number of segments that are checked or reindexed before the round-robin over the projects begins. */
const AT_A_TIME = 20;

const PROJECT = columnsOf({ id: 'uuid', isDue: 'bool' });

export interface EmailIndexerOptions {
  /** A database with a single connection. */
  database: Database;
  logger: Logger;
  /** Default: `TIMINGS`. */
  timings?: Partial<Pick<typeof TIMINGS, 'rest' | 'maxPassMs'>>;
}

export class EmailIndexer extends BackgroundScan {
  readonly #maxPassMs: number;

  constructor({ database, logger, timings }: EmailIndexerOptions) {
    const { rest, maxPassMs } = { ...TIMINGS, ...timings };
    super({
      database,
      lock: LOCK,
      rest,
      scanMs: TIMINGS.scanMs,
      idleMs: TIMINGS.idleMs,
      onError: (error) => logger.error({ err: error }, LOG_MESSAGES.emailsNotIndexed),
    });
    this.#maxPassMs = maxPassMs;
  }

  protected override async work(session: Database): Promise<boolean> {
    const untilMs = performance.now() + this.#maxPassMs;
    const settled = firstUuidAt(new Date(clock.nowMs() - TIMINGS.settledMs));
    while (
      this.mayContinue(untilMs) &&
      (await this.pace(() => settle(session, settled, AT_A_TIME))) === AT_A_TIME
    );
    for (const { projectId, ...range } of await findOpen(session, AT_A_TIME)) {
      if (!this.mayContinue(untilMs)) return false;
      await this.pace(() => indexAgain(session, projectId, range));
    }
    const before = firstUuidAt(new Date(clock.nowMs() - TIMINGS.minAgeMs));
    let projects = await this.#findProjects(session, before);
    // Round-robin: first one segment of each project, then a second segment of each project, and so on.
    while (projects.length > 0) {
      const unfinished: string[] = [];
      for (const projectId of projects) {
        if (!this.mayContinue(untilMs)) return false;
        if (await this.pace(() => indexNext(session, projectId, before))) unfinished.push(projectId);
      }
      projects = unfinished;
    }
    // The search for settled segments may have ended early.
    return this.mayContinue(untilMs);
  }

  /** The projects with enough emails that are in no segment. */
  async #findProjects(session: Database, before: string): Promise<string[]> {
    const found: string[] = [];
    for (let after = NIL_UUID; !this.isStopped; ) {
      const { rows } = await this.pace(() =>
        PROJECT.sql`
          select p.id, exists (
            select from emails e where e.project_id = p.id and e.id < ${before}
              and e.id > coalesce((
                select last_id from email_segments s where s.project_id = p.id order by last_id desc limit 1), ${NIL_UUID}::uuid)
            order by e.id offset ${LEAST_EMAILS - 1}) as is_due
          from (select id from projects where id > ${after} order by id limit ${SLICE}) p
          order by p.id`.execute(session),
      );
      found.push(...rows.filter(({ isDue }) => isDue).map(({ id }) => id));
      const last = rows.at(-1);
      if (last === undefined || rows.length < SLICE) break;
      after = last.id;
    }
    return found;
  }
}
