/** The fraction of a full map that is evicted at once. */
const EVICTED_PART = 1 / 16;

/**
 * A map with a maximum size, for entries that unauthenticated clients can add. When it is full, the entries that were set longest ago are
 * evicted.
 */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  /** Sets an entry. The entry becomes the most recent one, even if the map already had its key. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxEntries) this.#forgetOldest();
    return this;
  }

  /**
   * Evicts many entries at once. Evicting them one by one would take tens of microseconds for each in a flood of new entries: a Map keeps
   * the slots of deleted entries until it is rehashed, and each new iterator has to skip them first.
   */
  #forgetOldest(): void {
    let left = Math.max(1, Math.floor(this.#maxEntries * EVICTED_PART));
    for (const key of this.keys()) {
      this.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
