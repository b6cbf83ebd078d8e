/** Limits concurrent work. */

export interface WaitingLimit {
  maxWaiting: number;
  /** Makes the error for a caller that is rejected because the queue is full. */
  makeError(): Error;
}

/** Runs tasks up to a maximum number, or a maximum total weight, at a time. Further tasks wait in order. */
export class Semaphore {
  readonly #max: number;
  #free: number;
  readonly #waiting: { weight: number; begin(): void }[] = [];
  readonly #limit: WaitingLimit | undefined;

  /** @param limit the limit on waiting callers. Default: no limit */
  constructor(max: number, limit?: WaitingLimit) {
    this.#max = max;
    this.#free = max;
    this.#limit = limit;
  }

  /**
   * @param requested the weight of the task. A task heavier than the maximum runs alone
   * @throws the error of `makeError` if the queue is full
   */
  async run<T>(work: () => Promise<T>, requested = 1): Promise<T> {
    const weight = Math.min(requested, this.#max);
    // While other tasks are waiting, a new task waits behind them even if there is room for it. Otherwise light tasks could keep a heavy
    // one waiting forever.
    if (this.#waiting.length === 0 && this.#free >= weight) this.#free -= weight;
    else {
      const limit = this.#limit;
      if (limit !== undefined && this.#waiting.length >= limit.maxWaiting) throw limit.makeError();
      await new Promise<void>((resolve) => this.#waiting.push({ weight, begin: resolve }));
    }
    try {
      return await work();
    } finally {
      this.#free += weight;
      this.#admit();
    }
  }

  #admit(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && next.weight <= this.#free;
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#free -= next.weight;
      next.begin();
    }
  }
}
