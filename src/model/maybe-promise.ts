/** A value at once where it is known, so that a hot path waits for nothing; else a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
