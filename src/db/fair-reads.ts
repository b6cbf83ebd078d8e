/** Limits reads for many projects over few connections: no project can use all connections, and no read waits for long. */
import { unavailable } from '../model/app-error.ts';
import { FairSlots } from '../concurrency/fair-slots.ts';
import { type Database, hasTimedOut } from './database.ts';
import { TIMINGS } from './timings.ts';

/** Maximum number of waiting reads per owner. */
const MAX_WAITING = 100;

/** Runs one statement as soon as a connection is free for the owner. */
export type Read = <T>(statement: (database: Database) => Promise<T>) => Promise<T>;

export interface ReadLimits {
  /** The time limit, including the wait for a connection. Default: `readTimeoutMs`. */
  timeoutMs?: number;
  /** Error message for a read that exceeds the time limit. */
  tooLong?: string;
}

/** The maximum number of connections that one owner may use at once. */
export function shareOfOne(connections: number): number {
  return Math.max(1, Math.floor(connections / 2));
}

/** The limits of all reads over a lane. An owner, usually a project, gets at most half of the connections for all of its reads together. */
export class FairReads {
  readonly #database: Database;
  readonly #slots: FairSlots;
  /** Default time limit. A read that takes longer fails as `unavailable`. */
  readonly timeoutMs: number;

  /**
   * Creates the limits for a lane.
   * @param database the lane, which needs a statement timeout and must not be used elsewhere
   * @param connections the number of connections in the lane
   */
  constructor(
    database: Database,
    connections: number,
    { readTimeoutMs }: Pick<typeof TIMINGS, 'readTimeoutMs'> = TIMINGS,
  ) {
    this.#database = database;
    this.timeoutMs = readTimeoutMs;
    this.#slots = new FairSlots({
      slots: connections,
      slotsPerOwner: shareOfOne(connections),
      maxWaitingPerOwner: MAX_WAITING,
      makeError: () => unavailable('Too many reads are waiting. Send fewer requests at once.'),
    });
  }

  /**
   * Runs work on one connection. The work must run its statements one after another, because concurrent statements would need more
   * connections.
   * @throws AppError unavailable
   */
  run<T>(owner: string, work: (database: Database) => Promise<T>, limits?: ReadLimits): Promise<T> {
    return this.runFairly(owner, (read) => read(work), limits);
  }

  /** Like `run`, but releases the connection between statements, so that other owners can read. */
  async runFairly<T>(
    owner: string,
    work: (read: Read) => Promise<T>,
    {
      timeoutMs = this.timeoutMs,
      tooLong = 'The read takes too long at the moment. Try again later.',
    }: ReadLimits = {},
  ): Promise<T> {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(unavailable(tooLong)), timeoutMs);
    try {
      return await work((statement) => this.#slots.run(owner, late.signal, () => statement(this.#database)));
    } catch (error) {
      throw hasTimedOut(error) ? unavailable(tooLong) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}
