/**
 * Passwords that this process checked recently, so that no slow hash is needed for every connection of a mail app. The passwords are stored
 * for a short time, as hashes with a key that never leaves the process.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { BoundedMap } from '../../concurrency/bounded-map.ts';
import { MAX_REMEMBERED } from './limits.ts';
import { TIMINGS } from './timings.ts';

const KEY = randomBytes(32);

function keyedHash(what: readonly (string | null)[]): Buffer {
  return createHmac('sha256', KEY).update(JSON.stringify(what)).digest();
}

interface Proven {
  hash: Buffer;
  untilMs: number;
  misses: number;
}

/**
 * Attack: a comparison with a cached password is fast and is not counted. Therefore an entry is used only for the network where the
 * password was right and is deleted after this many mismatches. The next attempt is then hashed and counted.
 */
const MAX_MISSES = 2;

/** Passwords that were right recently. */
export class ProvenPasswords {
  readonly #proven = new BoundedMap<string, Proven>(MAX_REMEMBERED);
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** @param key identifies the network, the account and the hash that the password matches */
  add(key: string, password: string): void {
    this.#proven.set(key, {
      hash: keyedHash([password]),
      untilMs: this.#nowMs() + TIMINGS.provenMs,
      misses: 0,
    });
  }

  has(key: string, password: string): boolean {
    const proven = this.#proven.get(key);
    if (proven === undefined) return false;
    const isStale = proven.untilMs <= this.#nowMs();
    const isHit = timingSafeEqual(proven.hash, keyedHash([password]));
    if (!isHit) proven.misses++;
    if (isStale || proven.misses >= MAX_MISSES) this.#proven.delete(key);
    return isHit && !isStale;
  }
}

/** The reason why an attempt was rejected, which is only written to the log. */
export type WrongReason = 'no-account' | 'wrong-password' | 'not-enough';

/** The cache key of a guess. @param what the network, the name, the password, and the state of the accounts */
export function guessKey(what: readonly (string | null)[]): string {
  return keyedHash(what).toString('base64');
}

/** Guesses that were wrong recently. */
export class WrongPasswords {
  readonly #wrong = new BoundedMap<string, { untilMs: number; reason: WrongReason }>(MAX_REMEMBERED);
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** @param guess see `guessKey` */
  add(guess: string, reason: WrongReason): void {
    this.#wrong.set(guess, { untilMs: this.#nowMs() + TIMINGS.wrongMs, reason });
  }

  /** The reason why the guess was wrong; null if the guess is not cached. */
  reasonOf(guess: string): WrongReason | null {
    const wrong = this.#wrong.get(guess);
    return wrong !== undefined && wrong.untilMs > this.#nowMs() ? wrong.reason : null;
  }
}
