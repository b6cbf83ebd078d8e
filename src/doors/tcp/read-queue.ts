export interface ReadQueueOptions {
  /** Schedules the callback that admits the next connections. */
  schedule(callback: () => void): void;
  /** The number of connections to admit. @param sinceMs time since connections were last admitted */
  batchSize(sinceMs: number): number;
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
    const { schedule: later, batchSize: atOnce } = this.#options;
    later(() => {
      this.#isScheduled = false;
      const nowMs = performance.now();
      const count = atOnce(nowMs - this.#lastMs);
      this.#lastMs = nowMs;
      for (const goOn of this.#waiting.splice(0, count)) goOn();
      if (this.#waiting.length > 0) this.#schedule();
    });
  }
}
