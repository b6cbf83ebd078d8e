/** Bounds work that many may ask for at once. */

export interface WaitingLimit {
  /** How many may wait. */
  maxWaiting: number;
  /** The error for those who come when so many wait already. */
  refusal(): Error;
}

/** Lets so many pieces of work run at a time; the others wait in line. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];
  readonly #limit: WaitingLimit | undefined;

  /** @param limit of the line; without one it may be of any length */
  constructor(max: number, limit?: WaitingLimit) {
    this.#free = max;
    this.#limit = limit;
  }

  /** @throws the refusal, when the line is full */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else {
      const limit = this.#limit;
      if (limit !== undefined && this.#waiting.length >= limit.maxWaiting) throw limit.refusal();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The piece of work that ends hands its place on.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
