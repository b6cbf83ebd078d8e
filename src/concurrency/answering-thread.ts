import { type Transferable, Worker } from 'node:worker_threads';

/** The maximum heap of the thread. Reading the largest message takes a tenth of this. */
const MAX_HEAP_MB = 256;

export interface AnsweringThreadOptions {
  name: string;
  code: URL;
  /** Data that is passed to the code of the thread. Default: undefined. */
  workerData?: unknown;
  /** The answer to a question that takes longer than `threadAnswerMs` is null. A thread that is idle for `threadIdleMs` ends. */
  timings: Readonly<Record<'threadAnswerMs' | 'threadIdleMs', number>>;
}

/** A worker thread that answers questions one at a time. The thread starts with the first question and is replaced if it hangs or ends. */
export class AnsweringThread<Answer> implements AsyncDisposable {
  readonly #options: AnsweringThreadOptions;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Resolves the promise for the answer to the current question. Called with null if the thread ended. */
  #settle: (answer: Answer | null) => void = () => {};

  constructor(options: AnsweringThreadOptions) {
    this.#options = options;
  }

  /**
   * Asks one question. The caller must wait for the answer before asking another question. Rejects only if `makeQuestion` rejects.
   * @param makeQuestion makes the question and lists the objects in the question that are transferred instead of copied
   * @param limitMs replaces `threadAnswerMs` for a question that contains no untrusted input
   * @returns null if the answer took too long or the thread ended
   */
  async ask(
    makeQuestion: () => Promise<[question: unknown, handed: Transferable[]]>,
    limitMs?: number,
  ): Promise<Answer | null> {
    const { timings } = this.#options;
    clearTimeout(this.#idle);
    const [question, handed] = await makeQuestion();
    const { promise, resolve } = Promise.withResolvers<Answer | null>();
    this.#settle = resolve;
    this.#thread ??= this.#start();
    this.#thread.postMessage(question, handed);
    const late = setTimeout(resolve, limitMs ?? timings.threadAnswerMs, null);
    const answer = await promise;
    clearTimeout(late);
    if (answer === null) await this.#end();
    else this.#idle = setTimeout(() => void this.#end(), timings.threadIdleMs).unref();
    return answer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#end();
  }

  /** Ends the thread. A question that is asked before the thread has ended starts a new thread. */
  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  #start(): Worker {
    const { name, code, workerData } = this.#options;
    const thread = new Worker(code, {
      name,
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    thread.unref();
    const settle = (answer: Answer | null): void => {
      if (thread === this.#thread) this.#settle(answer);
    };
    thread.on('message', settle);
    thread.on('error', () => settle(null));
    thread.on('exit', () => settle(null));
    return thread;
  }
}
