/**
 * Limits the number of concurrent downloads of a process and their rate in bytes per second, in total and per network. The limits exist
 * because downloads share the network connection and the event loop with mail.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../../concurrency/bounded-map.ts';

const MIB = 1024 * 1024;

/** The number of slots in one process. Each download occupies one connection, and memory for a few chunks of 64 KiB. */
const SLOTS = 100;
const SLOTS_OF_NETWORK = 8;
/** The number of slots for a wider network, such as a data center, or an office with many addresses. */
const SLOTS_OF_WIDER_NETWORK = 24;
const SLOTS_OF_LINK = 50;
/**
 * The limit per network in each process. It is higher than a gigabit link, so a client with such a link is never throttled. It is not
 * divided among the processes, because a client with a single connection reaches only one of them.
 */
const NETWORK_BYTES_A_SECOND = 128 * MIB;
/**
 * The limit for all networks together, which allows two networks their full rate. At this rate, the event loop still has time for other
 * work.
 */
const ALL_BYTES_A_SECOND = 256 * MIB;
/**
 * How much may be sent without a pause, as milliseconds at the full rate. A lower value would need shorter pauses, and therefore too many
 * timers.
 */
const BURST_MS = 50;
const MAX_NETWORKS = 10_000;
/** A download below this rate, measured over at least `SLOW_MS`, counts as slow and can lose its slot. */
const SLOW_BYTES_A_SECOND = 32 * 1024;
const SLOW_MS = 30_000;
/** The rate of a download is measured in windows of this many milliseconds. */
const RATE_MS = 120_000;

/** The networks of the client, and the link that is downloaded. */
interface Visitor {
  network: string;
  /** The wider network of the client, from `widerNetwork`. */
  wider: string;
  linkId: string;
}

/** The slot of one download. */
export interface DownloadSlot {
  /** Resolves when `bytes` more bytes may be sent. @throws the abort reason of `signal` */
  pace(bytes: number, signal: AbortSignal): Promise<void>;
  /** @param then called if another download takes the slot */
  whenEvicted(then: () => void): void;
  leave(): void;
}

/** The measured progress of a download. */
interface UsedTraffic {
  /** The bytes sent since `sinceMs`. */
  bytes: number;
  sinceMs: number;
  evict: () => void;
  leave(): void;
}

export class DownloadTraffic {
  readonly #counts = new Map<string, number>();
  readonly #networkRate: ByteRate;
  readonly #allRate: ByteRate;
  readonly #used = new Set<UsedTraffic>();
  readonly #nowMs: () => number;

  /** @param nowMs a monotonic clock */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#networkRate = new ByteRate(NETWORK_BYTES_A_SECOND, nowMs);
    this.#allRate = new ByteRate(ALL_BYTES_A_SECOND, nowMs);
  }

  /** @returns null if no slot is free */
  enter({ network, wider, linkId }: Visitor): DownloadSlot | null {
    const counted = [
      { key: `network ${network}`, most: SLOTS_OF_NETWORK },
      { key: `wider ${wider}`, most: SLOTS_OF_WIDER_NETWORK },
      { key: `link ${linkId}`, most: SLOTS_OF_LINK },
    ];
    if (counted.some(({ key, most }) => (this.#counts.get(key) ?? 0) >= most)) return null;
    if (this.#used.size >= SLOTS && !this.#evictSlowest()) return null;
    for (const { key } of counted) this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    const used: UsedTraffic = {
      bytes: 0,
      sinceMs: this.#nowMs(),
      evict: () => {},
      leave: () => {
        if (!this.#used.delete(used)) return;
        for (const { key } of counted) countDown(this.#counts, key);
      },
    };
    this.#used.add(used);
    return {
      pace: async (bytes, signal) => {
        this.#note(used, bytes);
        const waitMs = Math.max(this.#networkRate.take(network, bytes), this.#allRate.take('', bytes));
        if (waitMs >= 1) await sleep(waitMs, undefined, { signal });
        else signal.throwIfAborted();
      },
      whenEvicted: (then) => (used.evict = then),
      leave: () => used.leave(),
    };
  }

  /** Counts bytes of a download. The rate is measured in a window, so that a fast start does not count forever. */
  #note(used: UsedTraffic, bytes: number): void {
    const nowMs = this.#nowMs();
    if (nowMs - used.sinceMs > RATE_MS) Object.assign(used, { bytes: 0, sinceMs: nowMs });
    used.bytes += bytes;
  }

  /**
   * Frees a slot. Attack: clients from many networks that read a little now and then occupy all slots for days. When all slots are in use,
   * the slowest download that has been slow for at least `SLOW_MS` loses its slot. Its client can resume later.
   */
  #evictSlowest(): boolean {
    let slowest: UsedTraffic | null = null;
    let least = SLOW_BYTES_A_SECOND;
    for (const used of this.#used) {
      const ms = this.#nowMs() - used.sinceMs;
      const rate = used.bytes / (ms / 1_000);
      if (ms < SLOW_MS || rate >= least) continue;
      [slowest, least] = [used, rate];
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

/** Limits a byte rate by key. Unlike with `TokenBuckets`, callers wait and are never rejected. */
class ByteRate {
  readonly #bytesPerMs: number;
  readonly #nowMs: () => number;
  readonly #freeAtMs = new BoundedMap<string, number>(MAX_NETWORKS);

  constructor(bytesPerSecond: number, nowMs: () => number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
    this.#nowMs = nowMs;
  }

  /** @returns the time to wait, in milliseconds */
  take(key: string, bytes: number): number {
    const nowMs = this.#nowMs();
    const freeAtMs = Math.max(this.#freeAtMs.get(key) ?? 0, nowMs) + bytes / this.#bytesPerMs;
    this.#freeAtMs.set(key, freeAtMs);
    return Math.max(0, freeAtMs - nowMs - BURST_MS);
  }
}
