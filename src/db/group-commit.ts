/**
 * Concurrent writes share a commit. While one batch is on its way to the disk the next one gathers, so batches grow with
 * the load, and a single write does not wait.
 */
import { mayWorkLater, sqlState } from './database.ts';
import { retryingConflicts } from './retry.ts';

/** Lock not available: what one item waits for must not keep the others. */
const LOCKED = '55P03';

export interface GroupCommitOptions<Item, Result> {
  /** Writes a batch in one transaction; one result per item, in order. */
  flush(items: Item[]): Promise<Result[]>;
  /** Batches on their way at once. */
  flights: number;
  maxItems: number;
  /** A batch is closed when the sizes of its items pass this. */
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
  #flying = 0;
  /** Items of the batches on their way. */
  #flyingItems = 0;
  #pendingBytes = 0;
  #scheduled = false;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  /** Items that are neither committed nor refused. */
  get pending(): number {
    return this.#waiting.length + this.#flyingItems;
  }

  /** What the items that are pending take, by `sizeOf`. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /**
   * Resolves when the item's batch is committed. One bad item fails alone: a batch that PostgreSQL refuses for its
   * data is written again item by item.
   */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const bytes = this.#options.sizeOf?.(item) ?? 0;
      this.#pendingBytes += bytes;
      this.#waiting.push({ item, bytes, resolve, reject });
      this.#schedule();
    });
  }

  /** As `add`. `lost`: the database is away or takes too long, or so many items are pending that this one would wait too long. */
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
    if (this.#scheduled || this.#flying >= this.#options.flights || this.#waiting.length === 0) return;
    this.#scheduled = true;
    // At the end of this turn of the event loop, so that requests that arrived together leave together.
    setImmediate(() => {
      this.#scheduled = false;
      if (this.#waiting.length > 0 && this.#flying < this.#options.flights) void this.#fly(this.#take());
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

  async #fly(batch: Waiting<Item, Result>[]): Promise<void> {
    this.#flying += 1;
    this.#flyingItems += batch.length;
    await this.#write(batch);
    this.#flying -= 1;
    this.#flyingItems -= batch.length;
    for (const { bytes } of batch) this.#pendingBytes -= bytes;
    this.#schedule();
  }

  /** @returns the error when the next item would meet it too; null when not: the waiting callers have their answers */
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
      const isOfAll = state !== LOCKED && mayWorkLater(error);
      const isOfOneItem = state !== null && !isOfAll;
      if (batch.length === 1 || !isOfOneItem) {
        for (const { reject } of batch) reject(error);
        return isOfAll ? error : null;
      }
      return this.#writeEach(batch);
    }
  }

  async #writeEach(batch: readonly Waiting<Item, Result>[]): Promise<unknown> {
    for (const [at, waiting] of batch.entries()) {
      const ofAll = await this.#write([waiting]);
      if (ofAll === null) continue;
      // The others would wait for it too, one after the other.
      for (const { reject } of batch.slice(at + 1)) reject(ofAll);
      return ofAll;
    }
    return null;
  }
}
