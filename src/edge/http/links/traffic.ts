/**
 * What downloads may take of a process: so many at a time, and so many bytes a second, of all and of one network. Mail goes over the same line
 * and the same event loop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../../model/bounded-map.ts';

const MIB = 1024 * 1024;

/** Of one process. Each holds a few pieces of 64 KiB in memory, and a connection. */
const PLACES = 100;
const PLACES_OF_NETWORK = 8;
const PLACES_OF_LINK = 50;
/** More than a line of a gigabit carries: what is slower is never slowed down. */
const NETWORK_BYTES_A_SECOND = 128 * MIB;
/** Two networks at their full speed, and the event loop has time for everybody else. */
const ALL_BYTES_A_SECOND = 256 * MIB;
/** What may go out at once: shorter rests would be timers without end. */
const BURST_MS = 50;
const MAX_NETWORKS = 10_000;

/** A place of one download. */
export interface DownloadPlace {
  /** Resolves when so many more bytes may go out. @throws the reason of the signal */
  pace(bytes: number, signal: AbortSignal): Promise<void>;
  leave(): void;
}

export class DownloadTraffic {
  readonly #ofNetworks = new Map<string, number>();
  readonly #ofLinks = new Map<string, number>();
  readonly #networkRate = new ByteRate(NETWORK_BYTES_A_SECOND);
  readonly #allRate = new ByteRate(ALL_BYTES_A_SECOND);
  #taken = 0;

  /** @returns null: there are as many as there may be */
  enter(network: string, linkId: string): DownloadPlace | null {
    const ofNetwork = this.#ofNetworks.get(network) ?? 0;
    const ofLink = this.#ofLinks.get(linkId) ?? 0;
    if (this.#taken >= PLACES || ofNetwork >= PLACES_OF_NETWORK || ofLink >= PLACES_OF_LINK) return null;
    this.#taken += 1;
    this.#ofNetworks.set(network, ofNetwork + 1);
    this.#ofLinks.set(linkId, ofLink + 1);
    let isHere = true;
    return {
      pace: async (bytes, signal) => {
        const waitMs = Math.max(this.#networkRate.take(network, bytes), this.#allRate.take('', bytes));
        if (waitMs >= 1) await sleep(waitMs, undefined, { signal });
        else signal.throwIfAborted();
      },
      leave: () => {
        if (!isHere) return;
        isHere = false;
        this.#taken -= 1;
        countDown(this.#ofNetworks, network);
        countDown(this.#ofLinks, linkId);
      },
    };
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
  readonly #freeAtMs = new BoundedMap<string, number>(MAX_NETWORKS);

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** @returns how long to wait */
  take(key: string, bytes: number): number {
    const nowMs = performance.now();
    const freeAtMs = Math.max(this.#freeAtMs.get(key) ?? 0, nowMs) + bytes / this.#bytesPerMs;
    this.#freeAtMs.set(key, freeAtMs);
    return Math.max(0, freeAtMs - nowMs - BURST_MS);
  }
}
