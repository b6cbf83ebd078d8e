/** What an answer means for a delivery: done, due later, or given up. */
import type { PostResult } from '../../net/http-exchange.ts';
import type { ClaimedDelivery } from './claim-deliveries.ts';
import type { SettledDelivery } from './settle-deliveries.ts';
import { retryDelayMs } from './retry-schedule.ts';

/** Any 2xx is success (docs/contract.md, Deliveries 1); a redirect is not. */
export function isSuccess({ httpStatus }: Pick<PostResult, 'httpStatus'>): boolean {
  return httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
}

/** @param jitter from 0 to 1 */
export function outcomeOf(delivery: ClaimedDelivery, result: PostResult, jitter: number): SettledDelivery {
  const { httpStatus, error, durationMs, responseBody, responseTruncated } = result;
  const log = {
    asked: true,
    httpStatus,
    error,
    durationMs,
    responseBody: httpStatus === null ? null : responseBody,
    responseTruncated,
  };
  if (isSuccess(result)) return { ...delivery, ...log, status: 'delivered', delayMs: null };
  return { ...delivery, ...log, ...failure(delivery, jitter) };
}

/** The end of an attempt for which no request was made. */
export function unsentOutcome(delivery: ClaimedDelivery, error: string, jitter: number): SettledDelivery {
  return {
    ...delivery,
    ...failure(delivery, jitter),
    asked: false,
    httpStatus: null,
    error,
    durationMs: null,
    responseBody: null,
    responseTruncated: false,
  };
}

function failure(
  { attempt, maxAttempts }: ClaimedDelivery,
  jitter: number,
): Pick<SettledDelivery, 'status' | 'delayMs'> {
  const delayMs = retryDelayMs(attempt, maxAttempts, jitter);
  return { status: delayMs === null ? 'failed' : 'pending', delayMs };
}
