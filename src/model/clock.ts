/**
 * The clock for everything that is stored or signed. All machines use the database's clock, so a write never has an earlier time than an
 * earlier write of another machine. Between two readings, the monotonic clock advances the time, so setting the clock of this machine has
 * no effect.
 */

/** A machine whose clock is this far off gets a warning. Its stored times are correct, but its logs and TLS checks use the wrong time. */
export const WARN_OFFSET_MS = 2_000;
/** A machine whose clock is this far off must not serve. */
export const BAD_OFFSET_MS = 30_000;

/** The database's clock minus `performance.now()`. Null before the first reading, when this machine's clock is used. */
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
 * the reading requires. So a slow response never makes the offset less accurate, and a fast response makes it more accurate.
 */
export function learnTime(databaseMs: number, askedAtMs: number, heardAtMs: number): void {
  const leastMs = databaseMs - heardAtMs;
  const mostMs = databaseMs - askedAtMs;
  aheadMs = aheadMs === null ? (leastMs + mostMs) / 2 : Math.min(Math.max(aheadMs, leastMs), mostMs);
}

/** Milliseconds by which this machine's clock is ahead of the database's; 0 while the difference is unknown. */
export function offsetMs(): number {
  return Date.now() - nowMs();
}
