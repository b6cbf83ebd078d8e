/**
 * What this process knows of passwords that were tried a moment ago, so that mail apps do not cost a hash each time. They are kept as hashes
 * with a key that never leaves the process, and for a short time.
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
 * Attack: comparing with what is in memory is fast, and costs the guesser nothing. So it is done in the network where the password was right,
 * and what was missed so often is forgotten: the next one is hashed and counted.
 */
const MAX_MISSES = 2;

/** Passwords that were right. */
export class ProvenPasswords {
  readonly #proven = new BoundedMap<string, Proven>(MAX_REMEMBERED);
  readonly #nowMs: () => number;

  /** @param nowMs a clock that never goes back */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** @param place where it was right: network, mailbox, and the hash that it fits */
  add(place: string, password: string): void {
    this.#proven.set(place, {
      hash: keyedHash([password]),
      untilMs: this.#nowMs() + TIMINGS.provenMs,
      misses: 0,
    });
  }

  has(place: string, password: string): boolean {
    const proven = this.#proven.get(place);
    if (proven === undefined) return false;
    const isStale = proven.untilMs <= this.#nowMs();
    const isHit = timingSafeEqual(proven.hash, keyedHash([password]));
    if (!isHit) proven.misses++;
    if (isStale || proven.misses >= MAX_MISSES) this.#proven.delete(place);
    return isHit && !isStale;
  }
}

/** For the log alone. */
export type WrongReason = 'nobody' | 'wrong-password' | 'not-enough';

/** Tells a guess from all others. @param what the password, and all that it is tried for */
export function guessKey(what: readonly (string | null)[]): string {
  return keyedHash(what).toString('base64');
}

/** Passwords that were wrong, each for what it was tried for. */
export class WrongPasswords {
  readonly #wrong = new BoundedMap<string, { untilMs: number; reason: WrongReason }>(MAX_REMEMBERED);
  readonly #nowMs: () => number;

  /** @param nowMs a clock that never goes back */
  constructor(nowMs = () => performance.now()) {
    this.#nowMs = nowMs;
  }

  /** @param guess see `guessKey` */
  add(guess: string, reason: WrongReason): void {
    this.#wrong.set(guess, { untilMs: this.#nowMs() + TIMINGS.wrongMs, reason });
  }

  /** Why it was wrong; null: nobody knows that it is. */
  reasonOf(guess: string): WrongReason | null {
    const wrong = this.#wrong.get(guess);
    return wrong !== undefined && wrong.untilMs > this.#nowMs() ? wrong.reason : null;
  }
}
