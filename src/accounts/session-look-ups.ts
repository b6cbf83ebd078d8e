/** Looks up session tokens in the database in batches, and caches the results for two seconds. */
import { setTimeout } from 'node:timers/promises';
import { GroupCommit } from '../db/group-commit.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { unavailable } from '../model/app-error.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

/** How long servers cache a session and its rights. The end of a session or a change of rights takes effect within this time. */
export const SESSION_TTL_MS = 2_000;
const MAX_CACHED = 10_000;
const MAX_BATCH = 64;
/** If a batch has this many wrong tokens, the next batch starts after a pause, as for API keys (`api-keys.ts`). */
const CROWD = 32;
const CROWD_PAUSE_MS = 50;
const MAX_WAITING = 2_000;

export class SessionLookUps<Query, Match> {
  readonly #found = new LoadingCache<Match | null>({
    ttlMs: SESSION_TTL_MS,
    maxEntries: MAX_CACHED,
    mayCache: (found) => found !== null,
    nowMs: () => performance.now(),
  });
  /** Separate queues for tokens never seen before and for tokens that were valid before, so guesses do not delay real sessions. */
  readonly #ofStrangers: GroupCommit<Query, Match | null>;
  readonly #ofKnown: GroupCommit<Query, Match | null>;

  /** @param find looks up a batch and returns the results in the same order; a result is null if the session was not found */
  constructor(find: (queries: Query[]) => Promise<(Match | null)[]>) {
    const lookUps = (flush: typeof find) => new GroupCommit({ flights: 1, maxItems: MAX_BATCH, flush });
    let isCrowd = false;
    this.#ofStrangers = lookUps(async (queries) => {
      if (isCrowd) await setTimeout(CROWD_PAUSE_MS);
      const found = await find(queries);
      isCrowd = found.filter((each) => each === null).length >= CROWD;
      return found;
    });
    this.#ofKnown = lookUps(find);
  }

  /** Returns a promise only when the database has to be queried. @param key the cache key of the query @throws AppError unavailable */
  find(key: string, query: Query): MaybePromise<Match | null> {
    return this.#found.get(key, (before) => this.#load(query, before));
  }

  /** Like `find`, but bypasses the cache. */
  lookUp(query: Query): Promise<Match | null> {
    return this.#ofKnown.add(query);
  }

  async #load(query: Query, before: Match | null | undefined): Promise<Match | null> {
    if (before !== undefined) return this.#ofKnown.add(query);
    if (this.#ofStrangers.pending >= MAX_WAITING) {
      throw unavailable('Too many sessions are being looked up. Try again in a few seconds.');
    }
    return this.#ofStrangers.add(query);
  }
}
