/** The value itself when it is known, so that a hot path does not wait; else a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
