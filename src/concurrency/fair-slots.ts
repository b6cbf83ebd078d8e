/** Bounds work of many owners, so that none takes the places of the others. */

export interface FairSlotsOptions {
  /** How many pieces of work run at a time. */
  places: number;
  /** How many of them may be one owner's. */
  placesOfOne: number;
  /** How many pieces of one owner may wait. */
  maxWaitingOfOne: number;
  /** The error for an owner of whom so many wait already. */
  refusal(): Error;
}

interface Owner {
  running: number;
  waiting: (() => void)[];
}

/** The next place goes to the owner who has the fewest, and among equals to the one whose last work ended longest ago. */
export class FairSlots {
  #free: number;
  readonly #options: FairSlotsOptions;
  /** Those who have work here: first those of whom none has ended yet or long ago. */
  readonly #owners = new Map<string, Owner>();

  constructor(options: FairSlotsOptions) {
    this.#free = options.places;
    this.#options = options;
  }

  /**
   * @param signal ends the wait, and the wait for the result: the work itself goes on, and keeps its place until its end
   * @throws the refusal, when the owner's line is full; the reason of the signal
   */
  async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    // It may come when nobody waits for it any more.
    aborted.promise.catch(() => {});
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#place(owner, aborted.promise);
      return await Promise.race([this.#work(owner, work), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #place(name: string, aborted: Promise<never>): Promise<void> {
    const { placesOfOne, maxWaitingOfOne, refusal } = this.#options;
    const owner = this.#owners.get(name) ?? { running: 0, waiting: [] };
    if (this.#free > 0 && owner.running < placesOfOne) {
      this.#begin(name, owner);
      return;
    }
    if (owner.waiting.length >= maxWaitingOfOne) throw refusal();
    this.#owners.set(name, owner);
    const { promise, resolve } = Promise.withResolvers<void>();
    owner.waiting.push(resolve);
    try {
      await Promise.race([promise, aborted]);
    } catch (error) {
      const at = owner.waiting.indexOf(resolve);
      if (at === -1) {
        // Its turn came in the same moment.
        this.#end(name);
      } else {
        owner.waiting.splice(at, 1);
        if (owner.running === 0 && owner.waiting.length === 0) this.#owners.delete(name);
      }
      throw error;
    }
  }

  async #work<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } finally {
      this.#end(name);
    }
  }

  #begin(name: string, owner: Owner): void {
    this.#free--;
    owner.running++;
    this.#owners.set(name, owner);
  }

  #end(name: string): void {
    this.#free++;
    const ended = this.#owners.get(name);
    this.#owners.delete(name);
    if (ended !== undefined && (--ended.running > 0 || ended.waiting.length > 0))
      this.#owners.set(name, ended);
    let next: [string, Owner] | null = null;
    for (const [name, owner] of this.#owners) {
      if (owner.waiting.length > 0 && owner.running < (next?.[1].running ?? this.#options.placesOfOne))
        next = [name, owner];
    }
    if (next === null) return;
    const begin = next[1].waiting.shift();
    this.#begin(...next);
    begin?.();
  }
}
