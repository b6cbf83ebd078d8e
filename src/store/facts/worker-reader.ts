import { AnsweringThread } from '../../concurrency/answering-thread.ts';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import type { MaybePromise } from '../../model/maybe-promise.ts';
import { FairSlots } from '../../concurrency/fair-slots.ts';
import type { Reading } from './readings.ts';
import { TIMINGS } from './timings.ts';

/** Messages up to this size are read in the calling thread. This usually takes 0.1 ms, and a few milliseconds in the worst case. */
const SMALL_OCTETS = 16_384;

const NEVER = new AbortController().signal;

export interface WorkerReaderOptions {
  /** The module that the thread runs. Default: `thread.ts`. */
  thread?: URL;
  /** Default: `TIMINGS`. */
  timings?: typeof TIMINGS;
}

/**
 * Reads small messages immediately, and large messages one at a time in a worker thread, round-robin between owners. The thread starts when a large message must be
 * read and ends when it is idle. Only the message that is being read is copied to the thread, so waiting messages need no additional
 * memory.
 */
export class WorkerReader<T> implements AsyncDisposable {
  readonly #reading: Reading<T>;
  /** Waiting messages are in memory that their doors limit. */
  readonly #slots = new FairSlots({
    slots: 1,
    slotsPerOwner: 1,
    maxWaitingPerOwner: Number.POSITIVE_INFINITY,
    makeError: () => new Error('the line of an owner has no limit'),
  });
  readonly #thread: AnsweringThread<T>;

  /** @param name the name of the reading in `READINGS`, by which the thread finds it */
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

  /**
   * Never throws. Returns a promise only for a large message; its bytes must not change until the promise resolves.
   * @param owner whose messages wait in one line, for example a project. Default: all messages wait in one line
   */
  read(raw: Buffer, owner = ''): MaybePromise<T> {
    return raw.length <= SMALL_OCTETS
      ? this.#reading.read(raw)
      : this.#slots.run(owner, NEVER, () => this.#readLarge(raw));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread[Symbol.asyncDispose]();
  }

  async #readLarge(raw: Buffer): Promise<T> {
    const answer = await this.#thread.ask(async () => [await shared(raw), []]);
    return answer ?? this.#reading.ofUnreadable(raw);
  }
}

/** A copy in shared memory, which the thread can read. */
async function shared(raw: Buffer): Promise<SharedArrayBuffer> {
  const bytes = new SharedArrayBuffer(raw.length);
  await copyInSteps(raw, new Uint8Array(bytes));
  return bytes;
}
