export interface ReadingLineOptions {
  /** Calls back when the next ones have their turn. */
  later(callback: () => void): void;
  /** How many go on then. @param sinceMs since the last turn */
  atOnce(sinceMs: number): number;
}

/**
 * A line of connections that have much to read. Left alone, the system reads two megabytes from each before it asks for anything else: of
 * many such connections everybody else would wait for seconds.
 */
export class ReadingLine {
  readonly #options: ReadingLineOptions;
  readonly #waiting: (() => void)[] = [];
  #isScheduled = false;
  #lastMs = 0;

  constructor(options: ReadingLineOptions) {
    this.#options = options;
  }

  /** @param goOn is called when it has its turn */
  join(goOn: () => void): void {
    this.#waiting.push(goOn);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const { later, atOnce } = this.#options;
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
