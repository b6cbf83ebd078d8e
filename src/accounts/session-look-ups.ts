/** What tokens of sessions stand for: asked of the database many at a time, and remembered for two seconds. */
import { setTimeout } from 'node:timers/promises';
import { GroupCommit } from '../db/group-commit.ts';
import { LoadingCache } from '../db/loading-cache.ts';
import { unavailable } from '../model/app-error.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

/** How long servers remember a session and what it may: an end or a change counts after this at the latest. */
export const SESSION_TTL_MS = 2_000;
const MAX_CACHED = 10_000;
const MAX_BATCH = 64;
/** As with API keys (`api-keys.ts`): after so many wrong tokens at once the next ones are guesses too, and wait. */
const CROWD = 32;
const CROWD_PAUSE_MS = 50;
const MAX_WAITING = 2_000;

export class SessionLookUps<Asked, Found> {
  readonly #found = new LoadingCache<Found | null>({
    ttlMs: SESSION_TTL_MS,
    maxEntries: MAX_CACHED,
    keeps: (found) => found !== null,
    nowMs: () => performance.now(),
  });
  /** Of tokens that nobody has used so far, and of those that were right before: guesses are in nobody's way. */
  readonly #ofStrangers: GroupCommit<Asked, Found | null>;
  readonly #ofKnown: GroupCommit<Asked, Found | null>;

  /** @param find null for whatever is not there, in the order in which it is asked for */
  constructor(find: (asked: Asked[]) => Promise<(Found | null)[]>) {
    const lookUps = (flush: typeof find) => new GroupCommit({ flights: 1, maxItems: MAX_BATCH, flush });
    let isCrowd = false;
    this.#ofStrangers = lookUps(async (asked) => {
      if (isCrowd) await setTimeout(CROWD_PAUSE_MS);
      const found = await find(asked);
      isCrowd = found.filter((each) => each === null).length >= CROWD;
      return found;
    });
    this.#ofKnown = lookUps(find);
  }

  /** A promise only when the database has to be asked. @param key of what is asked @throws AppError unavailable */
  find(key: string, asked: Asked): MaybePromise<Found | null> {
    return this.#found.get(key, (before) => this.#load(asked, before));
  }

  /** As `find`, and true now: for whoever was told something else a moment ago. */
  look(asked: Asked): Promise<Found | null> {
    return this.#ofKnown.add(asked);
  }

  async #load(asked: Asked, before: Found | null | undefined): Promise<Found | null> {
    if (before !== undefined) return this.#ofKnown.add(asked);
    if (this.#ofStrangers.pending >= MAX_WAITING) {
      throw unavailable('Too many sessions are being looked up at the moment.');
    }
    return this.#ofStrangers.add(asked);
  }
}
