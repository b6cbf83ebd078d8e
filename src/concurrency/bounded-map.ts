/** The fraction of a full map that is evicted at once. */
const EVICTED_PART = 1 / 16;

/** A map with a maximum size, for entries that outsiders can add. The entries set longest ago are evicted first. */
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
   * Evicts many entries at once. A Map keeps the slots of deleted entries until it is rehashed, and an iterator
   * walks over all these slots first. In a flood of new addresses, evicting one entry at a time would cost tens of microseconds for each.
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
