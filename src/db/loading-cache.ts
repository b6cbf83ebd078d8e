/** Remembers, within bounds, what was loaded a moment ago. */
import { BoundedMap } from '../concurrency/bounded-map.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

export interface LoadingCacheOptions<V> {
  /** How long a value is taken for true. */
  ttlMs: number;
  /** When there are more, the entry that nobody asked for the longest goes first. */
  maxEntries: number;
  /** Whether a value is worth keeping; the others are loaded each time. */
  keeps(value: V): boolean;
  /** A clock that never goes back. */
  nowMs(): number;
}

interface Entry<V> {
  value: V;
  staleAtMs: number;
}

export class LoadingCache<V> {
  readonly #options: LoadingCacheOptions<V>;
  /** Least recently asked for first. */
  readonly #entries: BoundedMap<string, Entry<V>>;
  readonly #loading = new Map<string, Promise<V>>();

  constructor(options: LoadingCacheOptions<V>) {
    this.#options = options;
    this.#entries = new BoundedMap(options.maxEntries);
  }

  /**
   * A fresh value comes at once. Callers who miss it at the same time share one load, and its error if it fails.
   * @param load is told the value that was true before, if there is one
   */
  get(key: string, load: (before: V | undefined) => Promise<V>): MaybePromise<V> {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.staleAtMs > this.#options.nowMs()) {
      this.#entries.set(key, entry);
      return entry.value;
    }
    let loading = this.#loading.get(key);
    if (loading === undefined) {
      loading = this.#load(key, () => load(entry?.value)).finally(() => this.#loading.delete(key));
      this.#loading.set(key, loading);
    }
    return loading;
  }

  /** Forgets everything: it is not true any more. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  async #load(key: string, load: () => Promise<V>): Promise<V> {
    // A value may be as old as the moment when it was asked for.
    const staleAtMs = this.#options.nowMs() + this.#options.ttlMs;
    const value = await load();
    if (this.#options.keeps(value)) this.#entries.set(key, { value, staleAtMs });
    else this.#entries.delete(key);
    return value;
  }
}
