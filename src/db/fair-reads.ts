/** Reading for many projects over few connections: none of them takes the connections of the others, and nobody waits for long. */
import { unavailable } from '../model/app-error.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import { type Database, hasTimedOut } from './database.ts';
import { TIMINGS } from './timings.ts';

/** Of one owner. */
const MAX_WAITING = 100;

/** Runs one statement, when it is its turn. */
export type Read = <T>(statement: (database: Database) => Promise<T>) => Promise<T>;

export interface ReadLimits {
  /** With the wait for a turn. Default: that of all reads here. */
  timeoutMs?: number;
  /** Said when it takes longer. */
  tooLong?: string;
}

/** How many of so many connections one owner may use. */
export function shareOfOne(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

/** All that reads over a lane shares one of these: an owner, mostly a project, has half of the connections, whatever it reads. */
export class FairReads {
  readonly #database: Database;
  readonly #turns: FairSlots;
  /** What takes longer is `unavailable`, unless it has another limit. */
  readonly timeoutMs: number;

  /**
   * @param database with a time-out for its statements, and nobody else's
   * @param connections how many it has
   */
  constructor(
    database: Database,
    connections: number,
    { readTimeoutMs }: Pick<typeof TIMINGS, 'readTimeoutMs'> = TIMINGS,
  ) {
    this.#database = database;
    this.timeoutMs = readTimeoutMs;
    this.#turns = new FairSlots({
      places: connections,
      placesOfOne: shareOfOne(connections),
      maxWaitingOfOne: MAX_WAITING,
      refusal: () => unavailable('Too many reads are waiting at the moment. Ask for fewer at once.'),
    });
  }

  /**
   * In one turn. Statements follow each other: at once, they would take more than one connection.
   * @throws AppError unavailable
   */
  run<T>(owner: string, work: (database: Database) => Promise<T>, limits?: ReadLimits): Promise<T> {
    return this.inTurns(owner, (read) => read(work), limits);
  }

  /** As `run`; between statements it is the turn of others. */
  async inTurns<T>(
    owner: string,
    work: (read: Read) => Promise<T>,
    { timeoutMs = this.timeoutMs, tooLong = 'Reading it takes too long at the moment.' }: ReadLimits = {},
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(unavailable(tooLong)), timeoutMs);
    try {
      return await work((statement) => this.#turns.run(owner, late.signal, () => statement(this.#database)));
    } catch (error) {
      throw hasTimedOut(error) ? unavailable(tooLong) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
