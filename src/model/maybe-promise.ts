/**
 * A value, or a promise of it. If the value is already known, it is returned as it is, so that code that runs very often does not have to
 * wait for a microtask.
 */
export type MaybePromise<T> = T | Promise<T>;
