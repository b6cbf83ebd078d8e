/**
 * The time of what is stored and signed. All machines go by the clock of the one database, so that what one of them
 * writes comes after what another one wrote before it. Between two looks at the database the monotonic clock counts on,
 * so that nobody who sets the clock of this machine changes it.
 */

/** From here on the clock of a machine is off: what it writes is right, but its logs and its TLS are not. */
export const WARN_OFFSET_MS = 2_000;
/** From here on it must not serve. */
export const BAD_OFFSET_MS = 30_000;

/** What the database's clock is ahead of `performance.now()`; null: it was never looked at, and this machine's clock has to do. */
let aheadMs: number | null = null;

/** Whole milliseconds since 1970 by the database's clock. */
export function nowMs(): number {
  return aheadMs === null ? Date.now() : Math.floor(performance.now() + aheadMs);
}

export function now(): Date {
  return new Date(nowMs());
}

/**
 * The database was asked for its time. Its answer was made between two moments, on the clock of `performance.now`: what
 * does not contradict that stays as it is, so a slow answer makes nothing worse, and a fast one makes it better.
 */
export function learnTime(databaseMs: number, askedAtMs: number, heardAtMs: number): void {
  const leastMs = databaseMs - heardAtMs;
  const mostMs = databaseMs - askedAtMs;
  aheadMs = aheadMs === null ? (leastMs + mostMs) / 2 : Math.min(Math.max(aheadMs, leastMs), mostMs);
}

/** How many milliseconds the clock of this machine is ahead of the database's; 0 while that is not known. */
export function offsetMs(): number {
  return Date.now() - nowMs();
}
