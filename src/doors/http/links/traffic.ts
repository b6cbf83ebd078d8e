/**
 * What downloads may take of a process: so many at a time, and so many bytes a second, of all and of one network. Mail goes over the same line
 * and the same event loop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';

const MIB = 1024 * 1024;

/** Of one process. Each holds a few pieces of 64 KiB in memory, and a connection. */
const PLACES = 100;
const PLACES_OF_NETWORK = 8;
/** Of a data centre, or of an office with many addresses. */
const PLACES_OF_WIDER_NETWORK = 24;
const PLACES_OF_LINK = 50;
/**
 * Of one process, too: a line of a gigabit carries less, so what is slower is never slowed down, and a share of it for each of many processes would slow down who has one
 * connection, which is in one of them.
 */
const NETWORK_BYTES_A_SECOND = 128 * MIB;
/** Two networks at their full speed, and the event loop has time for everybody else. */
const ALL_BYTES_A_SECOND = 256 * MIB;
/** What may go out at once: shorter rests would be timers without end. */
const BURST_MS = 50;
const MAX_NETWORKS = 10_000;
/** Below this a download is slow, once it was looked at for so long: others may need its place. */
const SLOW_BYTES_A_SECOND = 32 * 1024;
const SLOW_MS = 30_000;
/** So far back it is looked at. */
const RATE_MS = 120_000;

/** Where a download comes from, and what it is of. */
interface Visitor {
  network: string;
  /** `widerNetwork` */
  wider: string;
  linkId: string;
}

/** A place of one download. */
export interface DownloadSlot {
  /** Resolves when so many more bytes may go out. @throws the reason of the signal */
  pace(bytes: number, signal: AbortSignal): Promise<void>;
  /** Calls back when somebody else needs the place. */
  whenEvicted(then: () => void): void;
  leave(): void;
}

/** How a download is getting on. */
interface UsedTraffic {
  /** What went out since then. */
  bytes: number;
  sinceMs: number;
  evict: () => void;
  leave(): void;
}

export class DownloadTraffic {
  readonly #counts = new Map<string, number>();
  readonly #networkRate: ByteRate;
  readonly #allRate: ByteRate;
  readonly #taken = new Set<UsedTraffic>();
  readonly #nowMs: () => number;

  /** @param nowMs of a clock that never goes back */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#networkRate = new ByteRate(NETWORK_BYTES_A_SECOND, nowMs);
    this.#allRate = new ByteRate(ALL_BYTES_A_SECOND, nowMs);
  }

  /** @returns null: there are as many as there may be */
  enter({ network, wider, linkId }: Visitor): DownloadSlot | null {
    const counted = [
      { key: `network ${network}`, most: PLACES_OF_NETWORK },
      { key: `wider ${wider}`, most: PLACES_OF_WIDER_NETWORK },
      { key: `link ${linkId}`, most: PLACES_OF_LINK },
    ];
    if (counted.some(({ key, most }) => (this.#counts.get(key) ?? 0) >= most)) return null;
    if (this.#taken.size >= PLACES && !this.#evictSlowest()) return null;
    for (const { key } of counted) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    const taken: UsedTraffic = {
      bytes: 0,
      sinceMs: this.#nowMs(),
      evict: () => {},
      leave: () => {
        if (!this.#taken.delete(taken)) return;
        for (const { key } of counted) countDown(this.#counts, key);
      },
    };
    this.#taken.add(taken);
    return {
      pace: async (bytes, signal) => {
        this.#note(taken, bytes);
        const waitMs = Math.max(this.#networkRate.take(network, bytes), this.#allRate.take('', bytes));
        if (waitMs >= 1) await sleep(waitMs, undefined, { signal });
        else signal.throwIfAborted();
      },
      whenEvicted: (then) => (taken.evict = then),
      leave: () => taken.leave(),
    };
  }

  /** Who was fast once is not fast for ever. */
  #note(taken: UsedTraffic, bytes: number): void {
    const nowMs = this.#nowMs();
    if (nowMs - taken.sinceMs > RATE_MS) Object.assign(taken, { bytes: 0, sinceMs: nowMs });
    taken.bytes += bytes;
  }

  /**
   * Attack: who takes a little now and then, from many networks, holds all places for days. When they are all taken the slowest of those who have been slow for long
   * loses its own: its program goes on later from where it was.
   */
  #evictSlowest(): boolean {
    let slowest: UsedTraffic | null = null;
    let least = SLOW_BYTES_A_SECOND;
    for (const taken of this.#taken) {
      const ms = this.#nowMs() - taken.sinceMs;
      const rate = taken.bytes / (ms / 1_000);
      if (ms < SLOW_MS || rate >= least) continue;
      [slowest, least] = [taken, rate];
    }
    slowest?.leave();
    slowest?.evict();
    return slowest !== null;
  }
}

function countDown(counts: Map<string, number>, key: string): void {
  const left = (counts.get(key) ?? 1) - 1;
  if (left === 0) counts.delete(key);
  else counts.set(key, left);
}

/** As `TokenBuckets`, of bytes, and nobody is refused: they wait. */
class ByteRate {
  readonly #bytesPerMs: number;
  readonly #nowMs: () => number;
  readonly #freeAtMs = new BoundedMap<string, number>(MAX_NETWORKS);

  constructor(bytesPerSecond: number, nowMs: () => number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
    this.#nowMs = nowMs;
  }

  /** @returns how long to wait */
  take(key: string, bytes: number): number {
    const nowMs = this.#nowMs();
    const freeAtMs = Math.max(this.#freeAtMs.get(key) ?? 0, nowMs) + bytes / this.#bytesPerMs;
    this.#freeAtMs.set(key, freeAtMs);
    return Math.max(0, freeAtMs - nowMs - BURST_MS);
  }
}
