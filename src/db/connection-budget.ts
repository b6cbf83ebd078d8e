/**
 * Limits how often a process tries to connect to PostgreSQL, across all pools, other connections and threads. A proxy without a live server
 * accepts connections and closes them at once. Without a limit, the retries of a process would exhaust its file descriptors, block its
 * event loop, and flood a server that is just recovering.
 */
import { getEnvironmentData, isMainThread, setEnvironmentData } from 'node:worker_threads';
import { connectionAttempts, deferredConnectionAttempts } from '../observe/pools.ts';
import { TIMINGS } from './timings.ts';

/** PostgreSQL is unavailable at the moment. The caller may retry later. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** No attempt was made, because the budget of the process is used up. `cause` is the error of the last failed attempt. */
export class AttemptDeferred extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super('Too many attempts to connect to PostgreSQL failed. The next attempt follows in a moment.', {
      cause,
    });
  }
}

const NS_PER_MS = 1_000_000n;

export interface BudgetOptions {
  /** Sustained attempts per second. */
  perSecond: number;
  /** Attempts that may be made at once. */
  burst: number;
  /** Maximum wait before an attempt. An attempt that would wait longer is deferred. */
  maxWaitMs: number;
  /** Memory for the state of the budget, shared between threads. Default: memory of this thread only. */
  shared?: SharedArrayBuffer;
}

/**
 * A token bucket (GCRA) in one number: the time at which the next attempt would be due if attempts were made at exactly the given rate. A
 * successful connection refills the bucket, so the limit applies only while attempts fail or hang.
 */
export class ConnectionBudget {
  readonly #options: BudgetOptions;
  readonly #intervalNs: bigint;
  readonly #due: BigInt64Array;
  readonly #listeners = new Set<() => void>();
  #lastFault: unknown = null;

  constructor(options: BudgetOptions) {
    this.#options = options;
    this.#intervalNs = 1_000_000_000n / BigInt(options.perSecond);
    this.#due = new BigInt64Array(options.shared ?? new SharedArrayBuffer(8));
  }

  /**
   * Resolves when an attempt may begin.
   * @throws AttemptDeferred if the wait would be longer than `maxWaitMs`
   */
  async take(): Promise<void> {
    const waitMs = this.#reserve();
    if (waitMs === null) {
      deferredConnectionAttempts.inc();
      throw new AttemptDeferred(this.#lastFault);
    }
    if (waitMs > 0) await this.#untilConnected(waitMs);
  }

  /** Records that a connection opened and its server accepts writes. */
  succeeded(): void {
    connectionAttempts.inc({ result: 'connected' });
    Atomics.store(this.#due, 0, 0n);
    for (const listener of Array.from(this.#listeners)) listener();
  }

  /** Records that an attempt failed, or reached a server that does not accept writes. */
  failed(fault: unknown): void {
    connectionAttempts.inc({ result: 'failed' });
    this.#lastFault = fault;
  }

  /** Calls `listener` whenever a connection of this thread opens, until disposed. */
  onConnected(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** @returns the wait in milliseconds; null if the wait would exceed `maxWaitMs` */
  #reserve(): number | null {
    const { burst, maxWaitMs } = this.#options;
    for (;;) {
      const due = Atomics.load(this.#due, 0);
      // `hrtime` has the same origin in all threads of the process.
      const now = process.hrtime.bigint();
      const next = (due > now ? due : now) + this.#intervalNs;
      const waitNs = next - now - BigInt(burst) * this.#intervalNs;
      if (waitNs > BigInt(maxWaitMs) * NS_PER_MS) return null;
      if (Atomics.compareExchange(this.#due, 0, due, next) === due)
        return waitNs > 0n ? Number(waitNs / NS_PER_MS) : 0;
    }
  }

  /** Resolves after `waitMs`, or as soon as a connection of this thread opens. */
  async #untilConnected(waitMs: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    using _listening = this.onConnected(resolve);
    const timer = setTimeout(resolve, waitMs);
    await promise;
    clearTimeout(timer);
  }
}

/**
 * Key in the environment data. A worker thread gets a copy of the environment data, in which a `SharedArrayBuffer` still refers to the same
 * memory.
 */
const SHARED = 'posthorn.connection-budget';

function sharedMemory(): SharedArrayBuffer {
  const found: unknown = getEnvironmentData(SHARED);
  if (found instanceof SharedArrayBuffer) return found;
  const made = new SharedArrayBuffer(8);
  if (isMainThread) setEnvironmentData(SHARED, made);
  return made;
}

/** The budget of this process. */
export const CONNECTION_BUDGET = new ConnectionBudget({
  perSecond: TIMINGS.connectionsPerSecond,
  burst: TIMINGS.connectionBurst,
  maxWaitMs: TIMINGS.connectionWaitMs,
  shared: sharedMemory(),
});
