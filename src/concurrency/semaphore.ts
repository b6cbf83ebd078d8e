/** Bounds work that many may ask for at once. */

export interface WaitingLimit {
  /** How many may wait. */
  maxWaiting: number;
  /** The error for those who come when so many wait already. */
  refusal(): Error;
}

/** Lets so many pieces of work run at a time, or as many as fit together; the others wait in line. */
export class Semaphore {
  readonly #max: number;
  #free: number;
  readonly #waiting: { places: number; begin(): void }[] = [];
  readonly #limit: WaitingLimit | undefined;

  /** @param limit of the line; without one it may be of any length */
  constructor(max: number, limit?: WaitingLimit) {
    this.#max = max;
    this.#free = max;
    this.#limit = limit;
  }

  /**
   * @param wanted how many places the work takes: with more than there are it runs alone
   * @throws the refusal, when the line is full
   */
  async run<T>(work: () => Promise<T>, wanted = 1): Promise<T> {
    const places = Math.min(wanted, this.#max);
    // Nobody overtakes the line: what is large would wait for ever.
    if (this.#waiting.length === 0 && this.#free >= places) this.#free -= places;
    else {
      const limit = this.#limit;
      if (limit !== undefined && this.#waiting.length >= limit.maxWaiting) throw limit.refusal();
      await new Promise<void>((resolve) => this.#waiting.push({ places, begin: resolve }));
    }
    try {
      return await work();
    } finally {
      this.#free += places;
      this.#admit();
    }
  }

  #admit(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && next.places <= this.#free;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#free -= next.places;
      next.begin();
    }
  }
}
