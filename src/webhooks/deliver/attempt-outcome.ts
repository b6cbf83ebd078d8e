/** Decides what a response means for a delivery: delivered, retried later, or failed. */
import type { PostResult } from '../../net/http-exchange.ts';
import type { AttemptEnd, ClaimedAttempt, Settled } from './delivery-queue.ts';
import { TIMINGS } from './timings.ts';

/** Any 2xx status is a success (docs/contract.md, Deliveries 1). A redirect is not a success. */
export function isSuccess({ httpStatus }: Pick<PostResult, 'httpStatus'>): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}

const DELIVERED = { status: 'delivered', delayMs: null } as const;

/** @param jitter from 0 to 1 */
export function outcomeOf<Claimed extends ClaimedAttempt>(
  delivery: Claimed,
  result: PostResult,
  jitter: number,
): Settled<Claimed> {
  const responseBody = result.httpStatus === null ? null : result.responseBody;
  const { status, delayMs } = isSuccess(result) ? DELIVERED : failure(delivery, jitter);
  return { ...delivery, ...result, wasRequested: true, responseBody, status, delayMs };
}

/** The outcome of an attempt for which no request was made. */
export function unsentOutcome<Claimed extends ClaimedAttempt>(
  delivery: Claimed,
  error: string,
  jitter: number,
): Settled<Claimed> {
  return {
    ...delivery,
    ...failure(delivery, jitter),
    wasRequested: false,
    httpStatus: null,
    error,
    durationMs: null,
    responseBody: null,
    responseTruncated: false,
  };
}

function failure(
  { attempt, maxAttempts }: ClaimedAttempt,
  jitter: number,
): Pick<AttemptEnd, 'status' | 'delayMs'> {
  const delayMs = retryDelayMs(attempt, maxAttempts, jitter);
  return { status: delayMs === null ? 'failed' : 'pending', delayMs };
}

/**
 * The delay before the retry of a failed delivery, or null after the last attempt (docs/contract.md, Deliveries 2): 61,410 s from the first
 * attempt to the twelfth.
 * @param attempt the number of the failed attempt, from 1
 * @param jitter from 0 to 1: adds at most a twentieth, so that the retries after an outage are spread
 */
export function retryDelayMs(attempt: number, maxAttempts: number, jitter: number): number | null {
  if (attempt >= maxAttempts) return null;
  return Math.round(TIMINGS.firstDelayMs * 2 ** (attempt - 1) * (1 + jitter / 20));
}
