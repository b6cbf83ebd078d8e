/**
 * Pauses sending for all workers on all machines with a row in `settings`. After a restore, mail that the backup lists as pending may
 * already have been sent, so nothing is sent until an operator resumes sending.
 */
import type { Logger } from 'pino';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';

export interface Pause {
  since: Date;
  /** `restored`: a backup was restored. `asked`: an operator ran `posthorn queue pause`. */
  because: 'restored' | 'asked';
}

const SETTING = 'sending_paused';

/** The settings row that pauses sending. */
export function pausing({ since, because }: Pause): { name: string; value: string } {
  return { name: SETTING, value: `${since.toISOString()} ${because}` };
}

/** Reads the pause. Null: sending is not paused. */
export async function readPause(database: Database): Promise<Pause | null> {
  const row = await database
    .selectFrom('settings')
    .select('value')
    .where('name', '=', SETTING)
    .executeTakeFirst();
  if (row === undefined) return null;
  const [since = '', because] = row.value.split(' ');
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

  /** Checks the database and logs each change once. @throws database errors; the last known state then stays valid */
  async poll(): Promise<void> {
    const known = this.#pause;
    const pause = await readPause(this.#database);
    this.#pause = pause;
    if (pause !== null && !known) {
      const { since, because } = pause;
      this.#logger.warn({ since: since.toISOString(), because }, LOG_MESSAGES.sendingPaused);
    } else if (pause === null && known) this.#logger.info({}, LOG_MESSAGES.sendingResumed);
  }
}
