/** The results of the attempts at a delivery, in the column `past_attempts`. A delivery that succeeds at once has none, so it costs nothing. */
import { type RawBuilder, sql } from 'kysely';
import type { AttemptResult } from '../contract/dashboard/webhooks.ts';
import type { PastAttempt } from '../model/past-attempt.ts';
import type { DeliveryRow } from './records.ts';

/** Two whole series of attempts. A delivery that is replayed again and again loses its oldest results. */
const MAX_ATTEMPTS = 24;
/** The number of characters that are stored of the response to each past attempt. */
const MAX_BODY_CHARACTERS = 500;

/** SQL: an attempt that ended with the result in the relation `result` and began at `at`, as an array of one. */
function attemptOf(at: RawBuilder<unknown>, result: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    jsonb_build_array(jsonb_build_object(
      'at', ${at}, 'status', ${result}.http_status, 'error', ${result}.error, 'ms', ${result}.duration_ms,
      'body', left(${result}.response_body, ${sql.lit(MAX_BODY_CHARACTERS)}),
      'cut', coalesce(${result}.response_truncated or length(${result}.response_body) > ${sql.lit(MAX_BODY_CHARACTERS)}, false)))`;
}

/** SQL: the past attempts of the delivery `d`, and the attempt that has just ended with the result in the relation `k`. */
export const ADDING_ATTEMPT: RawBuilder<unknown> = sql`
  (case when jsonb_array_length(d.past_attempts) >= ${sql.lit(MAX_ATTEMPTS)} then d.past_attempts - 0 else coalesce(d.past_attempts, '[]') end
    || ${attemptOf(sql`d.last_attempt_at`, sql`k`)})`;

/** SQL: the past attempts with which the failed delivery `d` is replayed, including its last one. */
export const ATTEMPTS_BEFORE_REPLAY: RawBuilder<unknown> = sql`
  coalesce(d.past_attempts, case when d.last_attempt_at is not null then ${attemptOf(sql`d.last_attempt_at`, sql`d`)} end)`;

export interface AttemptedDelivery extends DeliveryRow {
  pastAttempts: PastAttempt[] | null;
  /** Whether an attempt is in progress. Its result is not known, and the other columns describe the attempt before it. */
  isSending: boolean;
}

/** The results of all attempts that are stored, oldest first. */
export function attemptResults(row: AttemptedDelivery, includesBodies: boolean): AttemptResult[] {
  return (row.pastAttempts ?? onlyAttempt(row)).map(({ at, status, error, ms, body, cut }) => ({
    at: new Date(at).toISOString(),
    http_status: status,
    error,
    duration_ms: ms,
    response_body: includesBodies ? (body ?? '') : '',
    truncated: cut,
  }));
}

function onlyAttempt(row: AttemptedDelivery): PastAttempt[] {
  const { lastAttemptAt, httpStatus, error, durationMs, responseBody, responseTruncated, isSending } = row;
  if (isSending || lastAttemptAt === null || (httpStatus === null && error === null)) return [];
  const characters = Array.from(responseBody ?? '');
  return [
    {
      at: lastAttemptAt.toISOString(),
      status: httpStatus,
      error,
      ms: durationMs,
      body: characters.slice(0, MAX_BODY_CHARACTERS).join(''),
      cut: responseTruncated || characters.length > MAX_BODY_CHARACTERS,
    },
  ];
}
