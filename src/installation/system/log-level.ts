/** Raises the log level of all processes on all machines for a limited time. A row in `settings` stores the end time. */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import { recordChange } from '../../accounts/audit.ts';
import type { LogLevel } from '../../contract/dashboard/system.ts';
import type { Database } from '../../db/database.ts';
import { SharedStatements, type StatementPart } from '../../db/shared-statements.ts';
import * as clock from '../../model/clock.ts';
import { TIMINGS } from './timings.ts';

const SETTING = 'log_level_raised_until';
const MINUTE_MS = 60_000;
/** The `target` of the changes in the audit log. */
const TARGET = 'log';

type Level = LogLevel['level'];

/** @returns the end time */
export function raiseLogLevel(database: Database, minutes: number): Promise<Date> {
  const until = new Date(clock.nowMs() + minutes * MINUTE_MS);
  const value = until.toISOString();
  return database.transaction().execute(async (tx) => {
    await tx
      .insertInto('settings')
      .values({ name: SETTING, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute();
    const after = { level: 'debug', until: value };
    await recordChange(tx, { of: 'installation', action: 'log-level.raise', target: TARGET, after });
    return until;
  });
}

export async function resetLogLevel(database: Database): Promise<void> {
  await database.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom('settings')
      .where('name', '=', SETTING)
      .executeTakeFirstOrThrow();
    if (numDeletedRows > 0n)
      await recordChange(tx, { of: 'installation', action: 'log-level.reset', target: TARGET });
  });
}

/** The end time of a raised log level; null if the level is not raised. */
export async function readRaisedUntil(database: Database): Promise<Date | null> {
  const { value } = await new SharedStatements(database).run<string | null>(RAISED_UNTIL, 0);
  return untilOf(value);
}

const RAISED_UNTIL: StatementPart = {
  ctes: (raised) => sql`${raised} as (select value from settings where name = ${SETTING})`,
  value: (raised) => sql`(select to_json(value) from ${raised})`,
};

function untilOf(value: string | null): Date | null {
  if (value === null) return null;
  const until = new Date(value);
  return until.getTime() > clock.nowMs() ? until : null;
}

interface WatchOptions {
  database: Database;
  /** Statements of this process with which polls share a commit. Default: polls share with no other statement. */
  shared?: SharedStatements;
  logger: Pick<Logger, 'level'>;
  /** The configured log level. */
  level: Level;
  /** Default: `TIMINGS`. */
  timings?: Pick<typeof TIMINGS, 'logLevelPollMs'>;
}

/** Keeps the log level of a process up to date. While the database is unavailable, the last known end time applies. */
export class LogLevelWatch implements AsyncDisposable {
  readonly #options: WatchOptions;
  readonly #shared: SharedStatements;
  /** How long a poll waits for other statements: most of the interval, so that it shares with the heartbeats of the process. */
  readonly #patienceMs: number;
  readonly #timer: NodeJS.Timeout;
  #until: Date | null = null;
  #polling: Promise<void> | null = null;

  constructor(options: WatchOptions) {
    this.#options = options;
    this.#shared = options.shared ?? new SharedStatements(options.database);
    const { logLevelPollMs } = options.timings ?? TIMINGS;
    this.#patienceMs = (logLevelPollMs * 2) / 3;
    this.#timer = setInterval(() => this.#tick(), logLevelPollMs);
  }

  #tick(): void {
    this.#apply();
    this.#polling ??= this.#poll()
      // The next poll retries.
      .catch(() => {})
      .finally(() => {
        this.#polling = null;
      });
  }

  async #poll(): Promise<void> {
    const { value } = await this.#shared.run<string | null>(RAISED_UNTIL, this.#patienceMs);
    this.#until = untilOf(value);
    this.#apply();
  }

  #apply(): void {
    const { logger, level } = this.#options;
    const isRaised = this.#until !== null && this.#until.getTime() > clock.nowMs();
    logger.level = isRaised ? 'debug' : level;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#shared.flush();
    await this.#polling;
  }
}
