/** The fraction of a full map that is evicted at once. */
const EVICTED_PART = 1 / 16;

/** A map with a maximum size, for entries that strangers can add. Entries are evicted in the order in which they were set. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  /** Sets an entry and makes this entry the most recent one, even if the map already has it. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxEntries) this.#forgetOldest();
    return this;
  }

  /**
   * Evicts many entries at once. A Map retains the slots of deleted entries until it is rehashed, and a new iterator first skips all these
   * slots. In a flood of new addresses, evicting single entries would therefore cost tens of microseconds per entry.
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
