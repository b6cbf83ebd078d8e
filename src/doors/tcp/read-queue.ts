export interface ReadQueueOptions {
  /** Schedules the callback that admits the next connections. @param sinceMs time since connections were last admitted */
  schedule(callback: () => void, sinceMs: number): void;
  /** The number of connections to admit. @param sinceMs time since connections were last admitted */
  batchSize(sinceMs: number): number;
  /** The part of `sinceMs` that counts again next time because few connections were waiting. Default: 0. */
  unusedMs?(sinceMs: number, admitted: number): number;
}

/**
 * A queue of connections with a lot of input, which are admitted in order. Without the queue, Node.js would read two megabytes from each
 * connection before it handles any other event, and many such connections would delay all other work for seconds.
 */
export class ReadQueue {
  readonly #options: ReadQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;
  #lastMs = 0;

  constructor(options: ReadQueueOptions) {
    this.#options = options;
  }

  /** @param admit called when the connection is admitted */
  join(admit: () => void): void {
    this.#waiting.push(admit);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { schedule: later, batchSize: atOnce, unusedMs = () => 0 } = this.#options;
    const admit = (): void => {
      this.#isScheduled = false;
      const nowMs = performance.now();
      const sinceMs = nowMs - this.#lastMs;
      const admitted = this.#waiting.splice(0, atOnce(sinceMs));
      this.#lastMs = nowMs - unusedMs(sinceMs, admitted.length);
      for (const goOn of admitted) goOn();
      if (this.#waiting.length > 0) this.#schedule();
    };
    later(admit, performance.now() - this.#lastMs);
  }
}
