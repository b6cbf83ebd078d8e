/**
 * Decides whether this installation receives the mail of a domain. Mail apps request their settings without signing in, so results are
 * cached and look-ups are batched.
 */
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import { GroupCommit } from '../db/group-commit.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { rowsOf } from '../db/rows.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import { wasEverVerified } from './first-verified.ts';
import { HOSTED_PROJECT_ID } from './hosted.ts';

/** Cache lifetime. A new claim is found within this time. */
const TTL_MS = 2_000;
const MAX_ENTRIES = 10_000;
/**
 * The maximum number of concurrent look-ups. Attack: requests for a flood of names that are not cached. They can occupy only one database
 * connection.
 */
const FLIGHTS = 1;
const MAX_BATCH = 200;

const DOMAIN_QUERIES = rowsOf<string>('a', { name: ['text', (name) => name] });

const SERVED = columnsOf({ name: 'text' });

export interface ServedDomainsOptions {
  database: Database;
  /** A-labels, lower case. */
  hostedDomain: string;
  /** Whether claims that were verified by hand count as verified. False in production. */
  trustsManualVerification: boolean;
  /** A monotonic clock, for tests. */
  nowMs?(): number;
}

export class ServedDomains {
  readonly #cache: LoadingCache<boolean>;
  readonly #lookUps: GroupCommit<string, boolean>;

  constructor({ database, hostedDomain, trustsManualVerification, nowMs }: ServedDomainsOptions) {
    this.#cache = new LoadingCache({
      ttlMs: TTL_MS,
      maxEntries: MAX_ENTRIES,
      mayCache: () => true,
      nowMs: nowMs ?? (() => performance.now()),
    });
    this.#lookUps = new GroupCommit({
      flights: FLIGHTS,
      maxItems: MAX_BATCH,
      flush: async (names) => {
        const { rows } = await SERVED.sql`
          select distinct a.name from ${DOMAIN_QUERIES.from(names)} join domains d on d.name = a.name
          where case when d.project_id = ${HOSTED_PROJECT_ID} then d.name = ${hostedDomain}
            else ${wasEverVerified(trustsManualVerification)} end`.execute(database);
        const served = new Set(rows.map(({ name }) => name));
        return names.map((name) => served.has(name));
      },
    });
  }

  /** @param name A-labels, lower case */
  isServed(name: string): MaybePromise<boolean> {
    return this.#cache.get(name, () => this.#lookUps.add(name));
  }
}
