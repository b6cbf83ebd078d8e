import { type Transferable, Worker } from 'node:worker_threads';

/** What is made of the largest message takes a tenth of it. */
const MAX_HEAP_MB = 256;

export interface AnsweringThreadOptions {
  name: string;
  code: URL;
  /** For the code. Default: nothing. */
  workerData?: unknown;
  /** What takes longer than `threadAnswerMs` has no answer, and a thread that was asked nothing for `threadIdleMs` ends. */
  timings: Readonly<Record<'threadAnswerMs' | 'threadIdleMs', number>>;
}

/** A thread that answers one question after the other. It runs only while there is something to ask; one that hangs or ends is replaced. */
export class AnsweringThread<Answer> implements AsyncDisposable {
  readonly #options: AnsweringThreadOptions;
  #thread: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Of the question that is asked. Null stands for a thread that ended. */
  #settle: (answer: Answer | null) => void = () => {};

  constructor(options: AnsweringThreadOptions) {
    this.#options = options;
  }

  /**
   * One at a time: the caller waits for the answer before it asks again. Never rejects, but as `makeQuestion` does.
   * @param makeQuestion the question, and what of it is handed over in place of copied
   * @param limitMs for a question that has nothing of a stranger in it: another limit than `threadAnswerMs`
   * @returns null: it took too long, or the thread ended
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

  /** The thread takes a moment to end. Who comes meanwhile gets a new one. */
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
