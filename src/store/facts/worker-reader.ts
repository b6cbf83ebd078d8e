import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import type { Reading } from './readings.ts';
import { TIMINGS } from './timings.ts';

/** What is no larger takes a few milliseconds at most, whatever is in it, and most of it a tenth of one. */
const SMALL_OCTETS = 16_384;

export interface WorkerReaderOptions {
  /** The code of the thread. Default: that which reads facts and parts. */
  thread?: URL;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/**
 * Reads something of messages: of small ones at once, of large ones in a thread, one at a time. What is held beside the bytes
 * of those that wait is one copy of the one that is read. The thread runs only while there is something to read.
 */
export class WorkerReader<T> implements AsyncDisposable {
  readonly #reading: Reading<T>;
  readonly #turns = new Semaphore(1);
  readonly #thread: AnsweringThread<T>;

  /** @param name of a reading, which the thread knows too */
  constructor(
    name: string,
    reading: Reading<T>,
    { thread = new URL('./thread.ts', import.meta.url), timings = TIMINGS }: WorkerReaderOptions = {},
  ) {
    this.#reading = reading;
    this.#thread = new AnsweringThread({
      name: `${name} of large messages`,
      code: thread,
      workerData: name,
      timings,
    });
  }

  /** Never throws. A promise only for what is large; the bytes are not to change before it is kept. */
  read(raw: Buffer): MaybePromise<T> {
    return raw.length <= SMALL_OCTETS ? this.#reading.read(raw) : this.#turns.run(() => this.#readLarge(raw));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #readLarge(raw: Buffer): Promise<T> {
    const answer = await this.#thread.ask(async () => [await shared(raw), []]);
    return answer ?? this.#reading.ofUnreadable(raw);
  }
}

/** A copy that a thread can read too. */
async function shared(raw: Buffer): Promise<SharedArrayBuffer> {
  const bytes = new SharedArrayBuffer(raw.length);
  await copyInSteps(raw, new Uint8Array(bytes));
  return bytes;
}
