import { Worker } from 'node:worker_threads';
import { copyInSteps } from '../../concurrency/copy-in-steps.ts';
import type { ExaminationResult, Findings, ExaminationTask, ThreadOptions } from './question.ts';
import { TIMINGS } from './timings.ts';

/** The maximum heap, which suffices for one large message or many small ones. The message octets, up to 40 MiB, are outside the heap. */
const MAX_HEAP_MB = 256;
/** A message gets a second try, because another message may have crashed the thread. */
const MAX_TRIES = 2;

type ExaminationInput = Omit<ExaminationTask, 'id' | 'raw'>;

interface PendingExamination extends ExaminationInput {
  message: Buffer;
  tries: number;
  timer: NodeJS.Timeout;
  resolve(findings: Findings | null): void;
}

/**
 * One thread, started on demand. A thread that hangs or crashes is replaced, and its pending messages are retried once, except for the
 * message that hung.
 */
export class ExaminingThread implements AsyncDisposable {
  readonly #options: ThreadOptions;
  readonly #timings: typeof TIMINGS;
  readonly #pending = new Map<number, PendingExamination>();
  #worker: Worker | null = null;
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(options: ThreadOptions, timings: typeof TIMINGS = TIMINGS) {
    this.#options = options;
    this.#timings = timings;
  }

  /** Resolves to null if the message crashes every thread or takes too long. Never rejects. */
  examine(message: Buffer, input: ExaminationInput): Promise<Findings | null> {
    clearTimeout(this.#idle);
    const { promise, resolve } = Promise.withResolvers<Findings | null>();
    const id = ++this.#lastId;
    const timer = setTimeout(() => this.#hangs(id), this.#timings.answerMs);
    this.#pending.set(id, { ...input, message, tries: 0, timer, resolve });
    void this.#send(id);
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#idle);
    for (const id of this.#pending.keys()) this.#settle(id, null);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #send(id: number): Promise<void> {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    pending.tries++;
    const raw = await copyOf(pending.message);
    if (!this.#pending.has(id)) return;
    this.#worker ??= this.#start();
    const { address, helo, mailFrom, isOwn = false, isRelayed = false, nowMs } = pending;
    const task: ExaminationTask = { id, raw, address, helo, mailFrom, isOwn, isRelayed, nowMs };
    this.#worker.postMessage(task, [raw.buffer]);
  }

  #settle(id: number, findings: Findings | null): void {
    const pending = this.#pending.get(id);
    if (pending === undefined) return;
    this.#pending.delete(id);
    clearTimeout(pending.timer);
    pending.resolve(findings);
    if (this.#pending.size > 0) return;
    this.#idle = setTimeout(() => {
      const worker = this.#worker;
      this.#worker = null;
      void worker?.terminate();
    }, this.#timings.idleMs).unref();
  }

  #hangs(id: number): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
    this.#settle(id, null);
    this.#retryPending();
  }

  #retryPending(): void {
    for (const [id, { tries }] of this.#pending) {
      if (tries >= MAX_TRIES) this.#settle(id, null);
      else void this.#send(id);
    }
  }

  #start(): Worker {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'examining mail',
      workerData: this.#options,
      resourceLimits: { maxOldGenerationSizeMb: MAX_HEAP_MB },
    });
    worker.unref();
    worker.on('message', ({ id, ...findings }: ExaminationResult) => this.#settle(id, findings));
    // The `exit` event, which follows every `error` event, replaces the thread.
    worker.on('error', () => {});
    worker.on('exit', () => {
      if (worker !== this.#worker) return;
      this.#worker = null;
      this.#retryPending();
    });
    return worker;
  }
}

/** Copies the message so that its memory can be transferred to the thread. */
async function copyOf(message: Buffer): Promise<Uint8Array<ArrayBuffer>> {
  const copy = new Uint8Array(message.length);
  await copyInSteps(message, copy);
  return copy;
}
