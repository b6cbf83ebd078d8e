/** The value itself if it is known, so that a hot path does not yield; otherwise a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
