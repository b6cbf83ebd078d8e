/** Refreshes the known MX records of domains for deliveries that depend on them. */
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { within } from '../../concurrency/within.ts';
import type { RecordResolver } from '../../net/zone-dns.ts';
import { isDue, type MxState } from './mx-state.ts';
import { type MxClaim, readMx, recordMx } from './record-mx.ts';

const TIMINGS = {
  /** The maximum time that a delivery waits for DNS: `waitMs` if an earlier answer exists, otherwise `firstWaitMs`. */
  waitMs: 2_000,
  firstWaitMs: 5_000,
  /** The time limit for a query. */
  queryMs: 5_000,
};
/**
 * The maximum number of queries at once. Beyond it, a delivery uses the last answer, or the provider if there is none. Attack: a project
 * sends to many domains with slow name servers.
 */
export const MAX_QUERIES = 200;

export interface MxWatchOptions {
  database: Database;
  dnsOf(domain: string): Pick<RecordResolver, 'mx'>;
  /** The host names of this installation. */
  ownHosts: readonly string[];
  /** For tests. A timing that is not given has its value in `TIMINGS`. */
  timings?: Partial<typeof TIMINGS>;
  nowMs?(): number;
}

export class MxWatch {
  readonly #options: MxWatchOptions;
  readonly #nowMs: () => number;
  readonly #timings: typeof TIMINGS;
  /** Queries in progress by domain name, at most one for each domain. */
  readonly #queries = new Map<string, Promise<MxState | null>>();

  constructor(options: MxWatchOptions) {
    this.#options = options;
    this.#nowMs = options.nowMs ?? clock.nowMs;
    this.#timings = { ...TIMINGS, ...options.timings };
  }

  get ownHosts(): readonly string[] {
    return this.#options.ownHosts;
  }

  /**
   * The state of the MX. DNS is queried again if the last answer is too old. Deliveries to one domain share a query, and each delivery
   * waits for a limited time. If no answer arrives in time, the last definite answer is used. Never rejects.
   * @param known the state that was just read from the database
   */
  current(claim: MxClaim, known: MxState): MaybePromise<MxState> {
    if (!isDue(known, this.#nowMs())) return known;
    let query = this.#queries.get(claim.name);
    if (query === undefined) {
      if (this.#queries.size >= MAX_QUERIES) return known;
      query = this.#query(claim).finally(() => this.#queries.delete(claim.name));
      this.#queries.set(claim.name, query);
    }
    const waitMs = known.answeredAt === null ? this.#timings.firstWaitMs : this.#timings.waitMs;
    return within(waitMs, query, null).then((state) => state ?? known);
  }

  /** @returns null if the database is unavailable */
  async #query(claim: MxClaim): Promise<MxState | null> {
    const { database, dnsOf, ownHosts } = this.#options;
    try {
      const { gateways: _, ...before } = await readMx(database, claim);
      // If another delivery or process has queried DNS since `known` was read, use its result.
      if (!isDue(before, this.#nowMs())) return before;
      const askedAt = new Date(this.#nowMs());
      const answer = await within(this.#timings.queryMs, dnsOf(claim.name).mx(claim.name), {
        outcome: 'failed',
        reason: 'no answer',
      } as const);
      return await recordMx(database, claim, ownHosts, answer, askedAt);
    } catch {
      // No error is reported here, because the delivery itself will report that the database is unavailable.
      return null;
    }
  }
}
