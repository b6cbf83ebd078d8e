/**
 * Pauses sending for all workers on all machines with a row in `settings`. After a restore, mail that the backup lists as pending may
 * already have been sent, so nothing is sent until an operator resumes sending.
 */
import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';
import { NOT_SENDING_SINCE } from './provider-kind.ts';

export interface Pause {
  since: Date;
  /** `restored`: a backup was restored. `asked`: an operator ran `posthorn queue pause`. */
  because: 'restored' | 'asked';
}

const SETTING = 'sending_paused';

/** The names of the settings that `PauseWatch` reads. */
export const PAUSE_SETTINGS: readonly string[] = [SETTING];

/** The settings row that pauses sending. */
export function pausing({ since, because }: Pause): { name: string; value: string } {
  return { name: SETTING, value: `${since.toISOString()} ${because}` };
}

/** Why no mail is sent at all. */
export type SendingStopped = 'paused' | 'no_provider';

/** SQL value: why no mail is sent at all, a `SendingStopped`. Null: mail is sent. */
export const SENDING_STOPPED = sql<SendingStopped | null>`(
  select case when bool_or(name = ${sql.lit(SETTING)}) then 'paused' when count(*) > 0 then 'no_provider' end
  from settings where name in (${sql.lit(SETTING)}, ${sql.lit(NOT_SENDING_SINCE)}))`;

/** Reads the pause. Null: sending is not paused. */
export async function readPause(database: Database): Promise<Pause | null> {
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirst();
  return row === undefined ? null : parsePause(row.value);
}

function parsePause(value: string): Pause {
  const [since = '', because] = value.split(' ');
  return { since: new Date(since), because: because === 'restored' ? 'restored' : 'asked' };
}

/** Pauses sending. Does not change an existing pause. @returns false if sending was already paused */
export async function pauseSending(database: Database | DatabaseTransaction, since: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('settings')
    .values(pausing({ since, because: 'asked' }))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0n) > 0;
}

/** Ends the pause. @returns false if sending was not paused */
export async function resumeSending(database: Database | DatabaseTransaction): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('settings')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Caches the pause, as of the last check. */
export class PauseWatch {
  readonly #database: Database;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  /** Undefined before the first check. */
  #pause: Pause | null | undefined;

  constructor(database: Database, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#database = database;
    this.#logger = logger;
  }

  /** True until the first check, so that a starting worker sends nothing too early. */
  get isPaused(): boolean {
    // protection: sending paused
    return this.#pause !== null;
  }

  get hasPolled(): boolean {
    return this.#pause !== undefined;
  }

  /** Checks the database. @throws database errors; the last known state then stays valid */
  async poll(): Promise<void> {
    this.#set(await readPause(this.#database));
  }

  /** Like `poll`, from settings that were just read. @param settings the values of `PAUSE_SETTINGS`, by name */
  learn(settings: ReadonlyMap<string, string>): void {
    const value = settings.get(SETTING);
    this.#set(value === undefined ? null : parsePause(value));
  }

  /** Logs each change once. */
  #set(pause: Pause | null): void {
    const known = this.#pause;
    this.#pause = pause;
    if (pause !== null && !known) {
      const { since, because } = pause;
      this.#logger.warn({ since: since.toISOString(), because }, LOG_MESSAGES.sendingPaused);
    } else if (pause === null && known) this.#logger.info({}, LOG_MESSAGES.sendingResumed);
  }
}
