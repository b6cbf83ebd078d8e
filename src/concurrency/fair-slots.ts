/** Limits concurrent work fairly between owners. */

export interface FairSlotsOptions {
  /** The maximum number of tasks that run at a time. */
  slots: number;
  /** The maximum number of running tasks per owner. */
  slotsPerOwner: number;
  maxWaitingPerOwner: number;
  /** Makes the error for an owner whose queue is full. */
  makeError(): Error;
}

interface Owner {
  running: number;
  waiting: (() => void)[];
}

/**
 * Runs tasks in slots. A freed slot goes to the waiting owner with the fewest running tasks. If several have equally few, the one whose
 * last task ended longest ago gets the slot.
 */
export class FairSlots {
  #free: number;
  readonly #options: FairSlotsOptions;
  /**
   * The owners with running or waiting tasks. Owners of whose tasks none has ended yet come first, then the others, in the order in which
   * their last task ended.
   */
  readonly #owners = new Map<string, Owner>();

  constructor(options: FairSlotsOptions) {
    this.#free = options.slots;
    this.#options = options;
  }

  /**
   * Runs a task when a slot is free for its owner.
   * @param signal ends the wait for a slot or for the result. A task that has already begun runs on, and occupies its slot until it ends
   * @throws the error from `makeError` if the owner's queue is full; the signal's reason if the signal is aborted
   */
  async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    // If the signal aborts after the task has ended, nothing awaits this promise any more. The handler keeps that rejection from counting
    // as unhandled.
    aborted.promise.catch(() => {});
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await this.#acquire(owner, aborted.promise);
      return await Promise.race([this.#work(owner, work), aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async #acquire(name: string, aborted: Promise<never>): Promise<void> {
    const { slotsPerOwner, maxWaitingPerOwner, makeError } = this.#options;
    const owner = this.#owners.get(name) ?? { running: 0, waiting: [] };
    if (this.#free > 0 && owner.running < slotsPerOwner) {
      this.#begin(name, owner);
      return;
    }
    if (owner.waiting.length >= maxWaitingPerOwner) throw makeError();
    this.#owners.set(name, owner);
    const { promise, resolve } = Promise.withResolvers<void>();
    owner.waiting.push(resolve);
    try {
      await Promise.race([promise, aborted]);
    } catch (error) {
      const at = owner.waiting.indexOf(resolve);
      if (at === -1) {
        // The signal aborted at the moment when the task got its slot.
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
      if (owner.waiting.length > 0 && owner.running < (next?.[1].running ?? this.#options.slotsPerOwner))
        next = [name, owner];
    }
    if (next === null) return;
    const begin = next[1].waiting.shift();
    this.#begin(...next);
    begin?.();
  }
}
