/**
 * The clock for everything that is stored or signed. All machines use the database's clock, so a later write never has an
 * earlier time than one that another machine made before it. Between two readings the monotonic clock advances it, so setting
 * the clock of this machine has no effect.
 */

/** A machine's clock that is this far off gets a warning: stored times are right, but its logs and TLS checks are not. */
export const WARN_OFFSET_MS = 2_000;
/** A machine whose clock is this far off must not serve. */
export const BAD_OFFSET_MS = 30_000;

/** The database's clock minus `performance.now()`. Null until the first reading: then this machine's clock is used. */
let aheadMs: number | null = null;

/** Whole milliseconds since 1970 by the database's clock. */
export function nowMs(): number {
  return aheadMs === null ? Date.now() : Math.floor(performance.now() + aheadMs);
}

export function now(): Date {
  return new Date(nowMs());
}

/**
 * Takes a reading of the database's clock, made between two moments of `performance.now`. The offset changes only as far as
 * the reading requires, so a slow response never makes it less accurate and a fast one makes it more accurate.
 */
export function learnTime(databaseMs: number, askedAtMs: number, heardAtMs: number): void {
  const leastMs = databaseMs - heardAtMs;
  const mostMs = databaseMs - askedAtMs;
  aheadMs = aheadMs === null ? (leastMs + mostMs) / 2 : Math.min(Math.max(aheadMs, leastMs), mostMs);
}

/** Milliseconds by which this machine's clock is ahead of the database's; 0 while unknown. */
export function offsetMs(): number {
  return Date.now() - nowMs();
}
