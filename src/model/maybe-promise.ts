/** A value that is already known, so that a hot path does not yield, or a promise of the value. */
export type MaybePromise<T> = T | Promise<T>;
