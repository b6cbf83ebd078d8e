/** What was read of messages, for as long as somebody is likely to look at them again: going back and forth reads nothing anew. */

/** Of all that is kept, in characters. */
const MAX_KEPT = 24 * 1_048_576;
const MAX_ENTRIES = 500;

/** By project and digest: bytes never change. Who asks for one that is being read waits for it. */
export class OpenedMessages<T> {
  readonly #kept = new Map<string, { value: Promise<T>; size: number }>();
  readonly #sizeOf: (value: T) => number;
  #total = 0;

  constructor(sizeOf: (value: T) => number) {
    this.#sizeOf = sizeOf;
  }

  /** What rejects is not kept. */
  async of(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    if (known !== undefined) {
      // The one that was asked for last goes last.
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known.value;
    }
    const entry = { value: read(), size: 0 };
    this.#kept.set(key, entry);
    try {
      const value = await entry.value;
      // It may have been forgotten meanwhile.
      if (this.#kept.get(key) !== entry) return value;
      entry.size = this.#sizeOf(value);
      this.#total += entry.size;
      this.#trim();
      return value;
    } catch (error) {
      if (this.#kept.get(key) === entry) this.#kept.delete(key);
      throw error;
    }
  }

  /** It is read anew when it is asked for next. */
  forget(key: string): void {
    this.#total -= this.#kept.get(key)?.size ?? 0;
    this.#kept.delete(key);
  }

  #trim(): void {
    for (const key of this.#kept.keys()) {
      if (this.#total <= MAX_KEPT && this.#kept.size <= MAX_ENTRIES) return;
      this.forget(key);
    }
  }
}
