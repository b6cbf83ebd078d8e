/** Decides whether and when a call is retried. */

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 8_000;
/** The longest wait for `Retry-After`. If the service requests a longer delay, such as days for a monthly quota, the call fails at once. */
const MAX_RETRY_AFTER_MS = 60_000;

/** Statuses of temporary failures. Null means no response. */
const TRANSIENT: ReadonlySet<number | null> = new Set([null, 429, 500, 502, 503, 504]);
/** Statuses that the service returns without acting on the request. */
const NOT_ACTED_ON: ReadonlySet<number | null> = new Set([429, 503]);
/** Node's codes for network errors that occur before the request is sent. */
const NOT_SENT: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
]);

interface Failure {
  status: number | null;
  retryAfterSeconds: number | null;
  cause?: unknown;
}

/** Whether the service may have acted on the request although the call failed. */
export function mayHaveActed({ status, cause }: Failure): boolean {
  if (status !== null) return !NOT_ACTED_ON.has(status);
  const { cause: inner } = (cause ?? {}) as { cause?: { code?: unknown } };
  return !NOT_SENT.has(inner?.code);
}

/**
 * Milliseconds to wait before the next attempt; null if there is no further attempt.
 * @param isRepeatable whether repeating the request changes nothing
 * @param attempt 0 after the first attempt
 * @param random 0 to 1, to spread clients that failed at the same time
 */
export function retryDelayMs(
  failure: Failure,
  isRepeatable: boolean,
  attempt: number,
  random: number,
): number | null {
  if (!TRANSIENT.has(failure.status)) return null;
  if (!isRepeatable && mayHaveActed(failure)) return null;
  const backoffMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt) * (0.5 + random / 2);
  if (failure.retryAfterSeconds === null) return backoffMs;
  const retryAfterMs = failure.retryAfterSeconds * 1_000;
  return retryAfterMs > MAX_RETRY_AFTER_MS ? null : Math.max(retryAfterMs, backoffMs);
}

/**
 * `Retry-After` in seconds (RFC 9110, section 10.2.3): a number or a date. Null if absent or invalid.
 * @param nowMs the current time, to convert a date
 */
export function parseRetryAfter(value: string | null, nowMs: number): number | null {
  if (value === null) return null;
  if (/^\d{1,9}$/.test(value)) return Number(value);
  if (!/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)) return null;
  const seconds = Math.ceil((Date.parse(value) - nowMs) / 1_000);
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
