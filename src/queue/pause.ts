/**
 * Sending that is paused, for all workers of all machines: a row in `settings`. What a restored database says is waiting may have
 * gone out since the backup was made, so nothing goes out before somebody says so.
 */
import type { Logger } from 'pino';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { LOG_MESSAGES } from '../observe/log-messages.ts';

export interface Pause {
  since: Date;
  /** `restored`: a backup was. `asked`: by `posthorn queue pause`. */
  because: 'restored' | 'asked';
}

const SETTING = 'sending_paused';

/** The row that pauses sending. */
export function pausing({ since, because }: Pause): { name: string; value: string } {
  return { name: SETTING, value: `${since.toISOString()} ${because}` };
}

/** Null: sending is not paused. */
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

/** A pause that is there stays as it is. @returns false: there is one */
export async function pauseSending(database: Database | DatabaseTransaction, since: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await database
    .insertInto('settings')
    .values(pausing({ since, because: 'asked' }))
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  return Number(numInsertedOrUpdatedRows ?? 0n) > 0;
}

/** @returns false: there was no pause */
export async function resumeSending(database: Database | DatabaseTransaction): Promise<boolean> {
  const { numDeletedRows } = await database
    .deleteFrom('settings')
    .where('name', '=', SETTING)
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}

/** Knows whether sending is paused, as of the last look. */
export class PauseWatch {
  readonly #database: Database;
  readonly #logger: Pick<Logger, 'info' | 'warn'>;
  /** Undefined: not known yet. */
  #pause: Pause | null | undefined;

  constructor(database: Database, logger: Pick<Logger, 'info' | 'warn'>) {
    this.#database = database;
    this.#logger = logger;
  }

  /** True until the first look: what begins to send must not be a second too early. */
  get isPaused(): boolean {
    // protection: sending paused
    return this.#pause !== null;
  }

  get hasLooked(): boolean {
    return this.#pause !== undefined;
  }

  /** Logs each change once. @throws what the database says; what was known still holds then */
  async look(): Promise<void> {
    const known = this.#pause;
    const pause = await readPause(this.#database);
    this.#pause = pause;
    if (pause !== null && !known) {
      const { since, because } = pause;
      this.#logger.warn({ since: since.toISOString(), because }, LOG_MESSAGES.sendingPaused);
    } else if (pause === null && known) this.#logger.info({}, LOG_MESSAGES.sendingResumed);
  }
}
