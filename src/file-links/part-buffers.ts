/**
 * The memory for collecting parts of uploads: a limited number of buffers per process. While an upload waits for a buffer, its bytes are
 * not read from the connection.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export interface LeasedBuffer {
  readonly bytes: Buffer;
  /**
   * Called when other uploads are waiting and the lease has lasted `LEASE_MS`. The upload must then store what it has and release the
   * buffer, even if it is not full.
   */
  onDemand: () => void;
}

interface LeasedBufferState extends LeasedBuffer {
  sinceMs: number;
}

/**
 * The time after which an upload must release its buffer if other uploads wait. Attack: a client with a slow connection occupies a buffer
 * for minutes.
 */
const LEASE_MS = 2_000;

export class PartBuffers {
  readonly #octets: number;
  readonly #most: number;
  readonly #free: Buffer[] = [];
  readonly #leased = new Set<LeasedBufferState>();
  readonly #waiting: ((buffer: LeasedBufferState) => void)[] = [];
  #isReclaiming = false;

  /** @param most the maximum number of buffers @param octets the size of each buffer, in bytes */
  constructor(most: number, octets: number) {
    this.#most = most;
    this.#octets = octets;
  }

  async take(): Promise<LeasedBuffer> {
    if (this.#leased.size < this.#most && this.#waiting.length === 0)
      return this.#lease(this.#free.pop() ?? Buffer.allocUnsafeSlow(this.#octets));
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      void this.#reclaim();
    });
  }

  release(buffer: LeasedBuffer): void {
    if (!this.#leased.delete(buffer as LeasedBufferState)) return;
    const next = this.#waiting.shift();
    if (next !== undefined) next(this.#lease(buffer.bytes));
    else this.#free.push(buffer.bytes);
  }

  #lease(bytes: Buffer): LeasedBufferState {
    const leased = { bytes, onDemand: () => {}, sinceMs: performance.now() };
    this.#leased.add(leased);
    return leased;
  }

  /** Until no upload is waiting, demands back the buffers whose leases have lasted `LEASE_MS`. */
  async #reclaim(): Promise<void> {
    if (this.#isReclaiming) return;
    this.#isReclaiming = true;
    while (this.#waiting.length > 0) {
      const [oldest] = this.#leased;
      const leftMs = oldest === undefined ? 0 : oldest.sinceMs + LEASE_MS - performance.now();
      await sleep(Math.max(50, leftMs));
      for (const leased of this.#leased)
        if (performance.now() - leased.sinceMs >= LEASE_MS) leased.onDemand();
    }
    this.#isReclaiming = false;
  }
}
