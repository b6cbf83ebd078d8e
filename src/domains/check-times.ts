/** When a claim is checked next by itself. Pure. */
import type { ClaimState } from './claim-state.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Up to which age a claim that waits to be verified is checked, and how often. After the last age it is not checked any more. */
const WAITING: readonly { untilMs: number; pauseMs: number }[] = [
  { untilMs: MINUTE_MS / 2, pauseMs: MINUTE_MS },
  { untilMs: 5 * MINUTE_MS, pauseMs: 5 * MINUTE_MS },
  { untilMs: 30 * MINUTE_MS, pauseMs: 30 * MINUTE_MS },
  { untilMs: 3 * DAY_MS, pauseMs: HOUR_MS },
  { untilMs: 33 * DAY_MS, pauseMs: DAY_MS },
];
/** Spreads claims that were verified at the same time. */
const SPREAD = 0.1;

/**
 * @param pendingSince of a claim that is not verified: when it was added or asked for last, or lost its records for good
 * @param random from 0 to 1
 * @returns null: never again by itself
 */
export function nextCheckAt(
  status: ClaimState['status'],
  pendingSince: Date,
  now: Date,
  random = Math.random(),
): Date | null {
  const pauseMs = pauseOf(status, now.getTime() - pendingSince.getTime());
  if (pauseMs === null) return null;
  return new Date(now.getTime() + Math.round(pauseMs * (1 - SPREAD + 2 * SPREAD * random)));
}

function pauseOf(status: ClaimState['status'], waitedMs: number): number | null {
  if (status === 'verified') return DAY_MS;
  if (status === 'warning') return HOUR_MS;
  return WAITING.find(({ untilMs }) => waitedMs < untilMs)?.pauseMs ?? null;
}
