/** The results of the attempts at a delivery, in the column `past_attempts`. A delivery that succeeds at once has none, so it costs nothing. */
import { type RawBuilder, sql } from 'kysely';
import type { AttemptResult } from '../contract/dashboard/webhooks.ts';
import type { PastAttempt } from '../model/past-attempt.ts';
import { WITHDRAWN } from './logging-failed.ts';

/** Two whole series of attempts. A delivery that is replayed again and again loses its oldest results. */
const MAX_ATTEMPTS = 24;
/** The number of characters that are stored of the response to each past attempt. */
const MAX_BODY_CHARACTERS = 500;

/** SQL: an attempt that ended with `error` and the result in the relation `result`, and began at `at`, as an array of one. */
function attemptOf(
  at: RawBuilder<unknown>,
  result: RawBuilder<unknown>,
  error: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    jsonb_build_array(jsonb_build_object(
      'at', ${at}, 'status', ${result}.http_status, 'error', ${error}, 'ms', ${result}.duration_ms,
      'body', left(${result}.response_body, ${sql.lit(MAX_BODY_CHARACTERS)}),
      'cut', coalesce(${result}.response_truncated or length(${result}.response_body) > ${sql.lit(MAX_BODY_CHARACTERS)}, false)))`;
}

/** SQL: the past attempts of the delivery `d`, and the attempt that has just ended with the result in the relation `k`. */
export const ADDING_ATTEMPT: RawBuilder<unknown> = sql`
  (case when jsonb_array_length(d.past_attempts) >= ${sql.lit(MAX_ATTEMPTS)} then d.past_attempts - 0 else coalesce(d.past_attempts, '[]') end
    || ${attemptOf(sql`d.last_attempt_at`, sql`k`, sql`k.error`)})`;

/** SQL: the error of the last attempt at the delivery `d`, which is not the error of a delivery that failed with its webhook. */
const ATTEMPT_ERROR = sql`
  case when d.error <> all (array[${sql.join(Object.values(WITHDRAWN).map((error) => sql.lit(error)))}]) then d.error end`;

/**
 * SQL: the results of all stored attempts at the delivery `d`, of which none is in progress. The result of a single attempt, or of the last
 * one of an earlier version, is only in the other columns. These have no result if the webhook was disabled during the first attempt.
 */
export const STORED_ATTEMPTS: RawBuilder<unknown> = sql`
  coalesce(d.past_attempts, case when d.last_attempt_at is not null and coalesce(d.http_status::text, ${ATTEMPT_ERROR}) is not null
    then ${attemptOf(sql`d.last_attempt_at`, sql`d`, ATTEMPT_ERROR)} end)`;

/** @param stored the results of attempts, oldest first */
export function attemptResults(
  stored: readonly PastAttempt[] | null,
  includesBodies: boolean,
): AttemptResult[] {
  return (stored ?? []).map(({ at, status, error, ms, body, cut }) => ({
    at: new Date(at).toISOString(),
    http_status: status,
    error,
    duration_ms: ms,
    response_body: includesBodies ? (body ?? '') : '',
    truncated: cut,
  }));
}
