import { Worker } from 'node:worker_threads';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { Semaphore } from '../../model/semaphore.ts';
import type { Reading } from './readings.ts';
import { TIMINGS } from './timings.ts';

/** What is no larger takes a few milliseconds at most, whatever is in it, and most of it a tenth of one. */
const SMALL_OCTETS = 16_384;
/** To copy a mebibyte takes a fifth of a millisecond. */
const SLICE = 1_048_576;
/** The largest facts are a hundredth of it, and what they are made of a tenth. */
const MAX_HEAP_MB = 256;

/**
 * Reads something of messages: of small ones at once, of large ones in a thread, one at a time. What is held beside the bytes
 * of those that wait is one copy of the one that is read. The thread runs only while there is something to read.
 */
export class OffLoop<T> implements AsyncDisposable {
  readonly #name: string;
  readonly #reading: Reading<T>;
  readonly #turns = new Semaphore(1);
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Of the message that is read. Null stands for a thread that ended. */
  #settle: (answer: T | null) => void = () => {};

  /** @param name of a reading, which the thread knows too */
  constructor(name: string, reading: Reading<T>) {
    this.#name = name;
    this.#reading = reading;
  }

  /** Never throws. A promise only for what is large; the bytes are not to change before it is kept. */
  read(raw: Buffer): MaybePromise<T> {
    return raw.length <= SMALL_OCTETS ? this.#reading.read(raw) : this.#turns.run(() => this.#readLarge(raw));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  async #readLarge(raw: Buffer): Promise<T> {
    clearTimeout(this.#idle);
    const bytes = await shared(raw);
    const { promise, resolve } = Promise.withResolvers<T | null>();
    this.#settle = resolve;
    this.#thread ??= this.#start();
    this.#thread.postMessage(bytes, []);
    const late = setTimeout(resolve, TIMINGS.threadAnswerMs, null);
    const answer = await promise;
    clearTimeout(late);
    if (answer === null) {
      await this.#end();
      return this.#reading.ofUnreadable(raw);
    }
    this.#idle = setTimeout(() => void this.#end(), TIMINGS.threadIdleMs).unref();
    return answer;
  }

  /** The thread takes a moment to end. Who comes meanwhile gets a new one. */
  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      name: `${this.#name} of large messages`,
      workerData: this.#name,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.unref();
    const settle = (answer: T | null): void => {
      if (thread === this.#thread) this.#settle(answer);
    };
    thread.on('message', settle);
    thread.on('error', () => settle(null));
    thread.on('exit', () => settle(null));
    return thread;
  }
}

/** A copy that a thread can read too, made in slices: at once it would hold the loop for 20 ms. */
async function shared(raw: Buffer): Promise<SharedArrayBuffer> {
  const bytes = new SharedArrayBuffer(raw.length);
  const copy = new Uint8Array(bytes);
  for (let at = 0; at < raw.length; at += SLICE) {
    copy.set(raw.subarray(at, at + SLICE), at);
    await new Promise(setImmediate);
  }
  return bytes;
}
