/** When a delivery that failed is tried again (docs/contract.md, Deliveries 2): 61,410 s from the first attempt to the twelfth. */
import { TIMINGS } from './timings.ts';

/**
 * The delay after a failed attempt, or null when it was the last.
 * @param attempt its number, from 1
 * @param jitter from 0 to 1: adds at most a twentieth, so that the retries of an outage do not come back as one
 */
export function retryDelayMs(attempt: number, maxAttempts: number, jitter: number): number | null {
  if (attempt >= maxAttempts) return null;
  return Math.round(TIMINGS.firstDelayMs * 2 ** (attempt - 1) * (1 + jitter / 20));
}
