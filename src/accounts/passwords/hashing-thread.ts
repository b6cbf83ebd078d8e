/**
 * Compares passwords with their hashes in a thread of its own: the thread pool of Node has four places, which files and signatures need.
 */
import { Worker } from 'node:worker_threads';
import { TIMINGS } from './timings.ts';

export interface HashingTask {
  id: number;
  password: string;
  phc: string | null;
}

export interface HashVerdict {
  id: number;
  /** null: what is stored is no hash. */
  fits: boolean | null;
}

/** It hashes outside of its heap. */
const MAX_HEAP_MB = 32;

/** Started when there is work, and ended when there was none for a while. */
export class HashingThread implements AsyncDisposable {
  readonly #asked = new Map<number, (verdict: Pick<HashVerdict, 'fits'> | Error) => void>();
  #worker: Worker | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @throws Error when the thread ended, or what is stored is no hash */
  async verify(password: string, phc: string | null): Promise<boolean> {
    clearTimeout(this.#idle);
    const { promise, resolve } = Promise.withResolvers<Pick<HashVerdict, 'fits'> | Error>();
    const id = ++this.#lastId;
    this.#asked.set(id, resolve);
    this.#worker ??= this.#start();
    const question: HashingTask = { id, password, phc };
    this.#worker.postMessage(question, []);
    const verdict = await promise;
    if (verdict instanceof Error) throw verdict;
    if (verdict.fits === null) throw new TypeError('a stored password hash is not argon2id in PHC form');
    return verdict.fits;
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
    worker.on('message', ({ id, fits }: HashVerdict) => this.#settle(id, { fits }));
    // The end follows.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (worker === this.#worker) void this.#end();
    });
    return worker;
  }

  #settle(id: number, verdict: Pick<HashVerdict, 'fits'> | Error): void {
    this.#asked.get(id)?.(verdict);
    this.#asked.delete(id);
    if (this.#asked.size === 0) this.#idle = setTimeout(() => void this.#end(), TIMINGS.idleMs).unref();
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    for (const id of Array.from(this.#asked.keys()))
      this.#settle(id, new Error('the thread that hashes passwords has ended'));
    clearTimeout(this.#idle);
    await worker?.terminate();
  }
}
