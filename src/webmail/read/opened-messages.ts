/** A cache of parsed messages. A user can go back and forth between messages without having each message parsed again. */

/** Maximum size of the cache, in characters. */
const MAX_CACHED = 24 * 1_048_576;
const MAX_ENTRIES = 500;

/**
 * A key is a project id and a digest, so the bytes for a key never change. A request for a message that is already being read waits for
 * that read.
 */
export class OpenedMessages<T> {
  readonly #cache = new Map<string, { value: Promise<T>; size: number }>();
  readonly #sizeOf: (value: T) => number;
  #total = 0;

  constructor(sizeOf: (value: T) => number) {
    this.#sizeOf = sizeOf;
  }

  /** Returns the cached value, or reads the value. Errors are not cached. */
  async of(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#cache.get(key);
    if (known !== undefined) {
      // The entry moves to the end, because the least recently used entry is removed first.
      this.#cache.delete(key);
      this.#cache.set(key, known);
      return known.value;
    }
    const entry = { value: read(), size: 0 };
    this.#cache.set(key, entry);
    try {
      const value = await entry.value;
      // The entry may have been removed in the meantime.
      if (this.#cache.get(key) !== entry) return value;
      entry.size = this.#sizeOf(value);
      this.#total += entry.size;
      this.#trim();
      return value;
    } catch (error) {
      if (this.#cache.get(key) === entry) this.#cache.delete(key);
      throw error;
    }
  }

  /** Removes an entry. The next request reads the value again. */
  forget(key: string): void {
    this.#total -= this.#cache.get(key)?.size ?? 0;
    this.#cache.delete(key);
  }

  #trim(): void {
    for (const key of this.#cache.keys()) {
      if (this.#total <= MAX_CACHED && this.#cache.size <= MAX_ENTRIES) return;
      this.forget(key);
    }
  }
}
