/**
 * The clock for all stored and signed times. All machines use the database's clock, so the times that different machines write are in the
 * right order. Between two readings of the database's clock, the time is advanced by the machine's monotonic clock, so setting the clock of
 * the machine has no effect.
 */

/** If a machine's clock is this far off, a warning is logged: stored times are correct, but logs and TLS checks use the wrong time. */
export const WARN_OFFSET_MS = 2_000;
/** If a machine's clock is this far off, the machine must not serve clients. */
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
 * Adjusts the time to a reading of the database's clock. The database read its clock at some moment between `sentAtMs` and `receivedAtMs`
 * (both from `performance.now`). The offset changes only if it is impossible under this condition, and only as far as necessary. So a slow
 * response never makes it less accurate, and a fast one makes it more accurate.
 */
export function learnTime(databaseMs: number, sentAtMs: number, receivedAtMs: number): void {
  const leastMs = databaseMs - receivedAtMs;
  const mostMs = databaseMs - sentAtMs;
  aheadMs = aheadMs === null ? (leastMs + mostMs) / 2 : Math.min(Math.max(aheadMs, leastMs), mostMs);
}

/** Milliseconds by which this machine's clock is ahead of the database's; 0 while the difference is unknown. */
export function offsetMs(): number {
  return Date.now() - nowMs();
}
