/**
 * Compares passwords with their hashes in a separate worker thread, because Node's own thread pool has only four threads, which file access
 * and signing need.
 */
import { Worker } from 'node:worker_threads';
import { TIMINGS } from './timings.ts';

export interface HashingTask {
  id: number;
  password: string;
  /** The stored hash; null if there is no hash. */
  stored: string | null;
  /** If there is no stored hash, a hash of another system that takes as long to check as the comparison shall take. Null: as our hashes. */
  standIn: string | null;
}

export interface HashVerdict {
  id: number;
  /** Whether the password matches. Null if the stored text is not a valid hash. */
  isMatch: boolean | null;
}

/** A small heap is enough, because argon2 allocates its memory outside the heap. */
const MAX_HEAP_MB = 32;

/** A worker thread that starts when there is work and ends after a period without work. */
export class HashingThread implements AsyncDisposable {
  readonly #pending = new Map<number, (verdict: Pick<HashVerdict, 'isMatch'> | Error) => void>();
  #worker: Worker | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @param standIn see `HashingTask` @throws Error if the thread has ended, or if the stored text is not a valid hash */
  async verify(password: string, stored: string | null, standIn: string | null = null): Promise<boolean> {
    clearTimeout(this.#idle);
    const { promise, resolve } = Promise.withResolvers<Pick<HashVerdict, 'isMatch'> | Error>();
    const id = ++this.#lastId;
    this.#pending.set(id, resolve);
    this.#worker ??= this.#start();
    const task: HashingTask = { id, password, stored, standIn };
    this.#worker.postMessage(task, []);
    const verdict = await promise;
    if (verdict instanceof Error) throw verdict;
    if (verdict.isMatch === null) throw new TypeError('a stored password hash is invalid');
    return verdict.isMatch;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'signing in',
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    worker.on('message', ({ id, isMatch }: HashVerdict) => this.#settle(id, { isMatch }));
    // The exit event follows and settles the tasks.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (worker === this.#worker) void this.#end();
    });
    return worker;
  }

  #settle(id: number, verdict: Pick<HashVerdict, 'isMatch'> | Error): void {
    this.#pending.get(id)?.(verdict);
    this.#pending.delete(id);
    if (this.#pending.size === 0) this.#idle = setTimeout(() => void this.#end(), TIMINGS.idleMs).unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    for (const id of Array.from(this.#pending.keys()))
      this.#settle(id, new Error('the thread that hashes passwords has ended'));
    clearTimeout(this.#idle);
    await worker?.terminate();
  }
}
