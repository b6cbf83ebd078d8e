/** How much of a full map goes at once. */
const PART_THAT_GOES = 1 / 16;

/** A map of at most so many entries, for what outsiders can make grow: the entries that were set the longest ago go first. */
export class BoundedMap<K, V> extends Map<K, V> {
  readonly #maxEntries: number;

  constructor(maxEntries: number) {
    super();
    this.#maxEntries = maxEntries;
  }

  /** Makes the entry the youngest, whether it is new or not. */
  override set(key: K, value: V): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#maxEntries) this.#forgetOldest();
    return this;
  }

  /**
   * Many at a time: a Map keeps the places of deleted entries until it is laid out anew, and an iterator
   * passes all of those at its beginning. One by one, each new address of a flood would take tens of microseconds.
   */
  #forgetOldest(): void {
    let left = Math.max(1, Math.floor(this.#maxEntries * PART_THAT_GOES));
    for (const key of this.keys()) {
      this.delete(key);
      left -= 1;
      if (left === 0) return;
    }
  }
}
