import { type Database, hasTimedOut } from '../../db/database.ts';
import { AppError } from '../../model/app-error.ts';
import { Turns } from '../../model/turns.ts';

/** Runs one statement, when it is its turn. */
export type Read = <T>(statement: (database: Database) => Promise<T>) => Promise<T>;

/** With all of its statements. */
const TIMEOUT_MS = 3_000;
const MAX_WAITING = 50;
const RETRY_SECONDS = 5;

/** Reading the log of deliveries over few connections: projects take turns, statement by statement. */
export class DeliveryReads {
  readonly #database: Database;
  readonly #turns: Turns;

  /** @param connections how many of the database may be busy with this; one project has half of them */
  constructor(database: Database, connections: number) {
    this.#database = database;
    this.#turns = new Turns({
      places: connections,
      placesOfOne: Math.max(1, Math.floor(connections / 2)),
      maxWaitingOfOne: MAX_WAITING,
      refusal: tooLong,
    });
  }

  /** @throws AppError unavailable when it takes too long */
  async reading<T>(projectId: string, work: (read: Read) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(tooLong()), TIMEOUT_MS);
    try {
      return await work((statement) =>
        this.#turns.run(projectId, late.signal, () => statement(this.#database)),
      );
    } catch (error) {
      throw hasTimedOut(error) ? tooLong() : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLong(): AppError {
  return new AppError('unavailable', 'Reading the deliveries took too long at the moment.', {
    retryAfterSeconds: RETRY_SECONDS,
  });
}
