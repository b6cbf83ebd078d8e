/**
 * Lets concurrent writes share a commit. While one batch is being written, the next batch collects items, so batches grow with the load,
 * and a single write does not wait.
 */
import { mayWorkLater, sqlState } from './database.ts';
import { retryingConflicts } from './retry.ts';

/** SQLSTATE `lock_not_available`. An item that waits for a lock must not fail the other items of its batch. */
const LOCKED = '55P03';

export interface GroupCommitOptions<Item, Result> {
  /** Writes a batch in one transaction. Returns one result per item, in the order of the items. */
  flush(items: Item[]): Promise<Result[]>;
  /** Maximum number of batches that are written at once. */
  flights: number;
  maxItems: number;
  /** The maximum total size of a batch. A batch ends before the item that would exceed the maximum. A single item may be larger. */
  maxBytes?: number;
  sizeOf?(item: Item): number;
}

interface Waiting<Item, Result> {
  item: Item;
  bytes: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export class GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  readonly #waiting: Waiting<Item, Result>[] = [];
  #inFlight = 0;
  /** The number of items in batches that are being written. */
  #itemsInFlight = 0;
  #pendingBytes = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** The number of items that are neither committed nor rejected. */
  get pending(): number {
    return this.#waiting.length + this.#itemsInFlight;
  }

  /** Total size of the pending items, as `sizeOf` measures it. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /**
   * Resolves when the item's batch is committed. An item that PostgreSQL rejects fails alone: if PostgreSQL rejects a batch because of its
   * data, the batch is written again item by item.
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const bytes = this.#options.sizeOf?.(item) ?? 0;
      this.#pendingBytes += bytes;
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#schedule();
    });
  }

  /** Like `add`. Resolves to `lost` if the database is unavailable or too slow, or if at least `maxPending` items are pending. */
  async tryAdd(item: Item, maxPending: number): Promise<Result | 'lost'> {
    if (this.pending >= maxPending) return 'lost';
    try {
      return await this.add(item);
    } catch (error) {
      if (mayWorkLater(error)) return 'lost';
      throw error;
    }
  }

  #schedule(): void {
    if (this.#scheduled || this.#inFlight >= this.#options.flights || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // Flush at the end of this tick of the event loop, so that requests that arrived together share a batch.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#waiting.length > 0 && this.#inFlight < this.#options.flights) void this.#send(this.#take());
      this.#schedule();
    });
  }

  #take(): Waiting<Item, Result>[] {
    const { maxItems, maxBytes = Number.POSITIVE_INFINITY } = this.#options;
    let sum = 0;
    let count = 0;
    for (const { bytes } of this.#waiting) {
      sum += bytes;
      if (count === maxItems || (count > 0 && sum > maxBytes)) break;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #send(batch: Waiting<Item, Result>[]): Promise<void> {
    this.#inFlight += 1;
    this.#itemsInFlight += batch.length;
    await this.#write(batch);
    this.#inFlight -= 1;
    this.#itemsInFlight -= batch.length;
    for (const { bytes } of batch) this.#pendingBytes -= bytes;
    this.#schedule();
  }

  /** @returns an error that would also affect the next item; null if every item has its result */
  async #write(batch: readonly Waiting<Item, Result>[]): Promise<unknown> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await retryingConflicts(() => this.#options.flush(items));
      batch.forEach(({ resolve }, at) => {
        resolve(results[at] as Result);
      });
      return null;
    } catch (error) {
      const state = sqlState(error);
      const affectsAll = state !== LOCKED && mayWorkLater(error);
      const affectsOneItem = state !== null && !affectsAll;
      if (batch.length === 1 || !affectsOneItem) {
        for (const { reject } of batch) reject(error);
        return affectsAll ? error : null;
      }
      return this.#writeEach(batch);
    }
  }

  async #writeEach(batch: readonly Waiting<Item, Result>[]): Promise<unknown> {
    for (const [at, waiting] of batch.entries()) {
      const sharedError = await this.#write([waiting]);
      if (sharedError === null) continue;
      // The remaining items would fail with the same error, one after another.
      for (const { reject } of batch.slice(at + 1)) reject(sharedError);
      return sharedError;
    }
    return null;
  }
}
