/** A bounded cache of recently loaded values. */
import { BoundedMap } from '../concurrency/bounded-map.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';

export interface LoadingCacheOptions<V> {
  /** How long a value is fresh, in milliseconds. */
  ttlMs: number;
  /** If the cache has more entries, the least recently used entry is dropped. */
  maxEntries: number;
  /** Whether a value is cached. A value that is not cached is loaded each time. */
  mayCache(value: V): boolean;
  /** A monotonic clock. */
  nowMs(): number;
}

interface Entry<V> {
  value: V;
  staleAtMs: number;
}

export class LoadingCache<V> {
  readonly #options: LoadingCacheOptions<V>;
  /** The entries, least recently used first. */
  readonly #entries: BoundedMap<string, Entry<V>>;
  readonly #loading = new Map<string, Promise<V>>();

  constructor(options: LoadingCacheOptions<V>) {
    this.#options = options;
    this.#entries = new BoundedMap(options.maxEntries);
  }

  /**
   * Returns a fresh value synchronously. Concurrent callers without a fresh value share one load, and the error if that load fails.
   * @param load receives the stale value, if the cache has one
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

  /** Drops the entry, because its value has changed. */
  forget(key: string): void {
    this.#entries.delete(key);
  }

  async #load(key: string, load: () => Promise<V>): Promise<V> {
    // The age of a value counts from the start of its load.
    const staleAtMs = this.#options.nowMs() + this.#options.ttlMs;
    const value = await load();
    if (this.#options.mayCache(value)) this.#entries.set(key, { value, staleAtMs });
    else this.#entries.delete(key);
    return value;
  }
}
