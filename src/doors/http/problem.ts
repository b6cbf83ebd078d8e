/** Errors as HTTP responses (RFC 9457): the table from error code to status and title, and the problem document. */
import { randomBytes } from 'node:crypto';
import type { Problem } from '../../contract/problem.ts';
import { AppError, DASHBOARD_ERROR_CODES, type ErrorCode } from '../../model/app-error.ts';

export const PROBLEMS = {
  'bad-request': { status: 400, title: 'Bad request' },
  'malformed-json': { status: 400, title: 'Malformed JSON' },
  'unsupported-media-type': { status: 400, title: 'Unsupported media type' },
  'hosted-domain-protected': { status: 400, title: 'The hosted domain cannot be removed' },
  'synced-member-protected': { status: 400, title: 'A member synced from a mailbox cannot be removed' },
  'domain-in-use': { status: 400, title: 'The domain still has mailboxes' },
  'missing-api-key': { status: 401, title: 'Missing API key' },
  'invalid-api-key': { status: 401, title: 'Invalid API key' },
  'missing-scope': { status: 403, title: 'Missing scope' },
  'not-found': { status: 404, title: 'Not found' },
  'method-not-allowed': { status: 405, title: 'Method not allowed' },
  'payload-too-large': { status: 413, title: 'Payload too large' },
  'validation-failed': { status: 422, title: 'Validation failed' },
  'domain-not-verified': { status: 422, title: 'Domain not verified' },
  'idempotency-key-reused': { status: 422, title: 'Idempotency key reused' },
  'already-exists': { status: 422, title: 'Already exists' },
  'plan-limit-exceeded': { status: 422, title: 'Plan limit exceeded' },
  'rate-limited': { status: 429, title: 'Rate limited' },
  'quota-exceeded': { status: 429, title: 'Quota exceeded' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Temporarily unavailable' },
  'not-signed-in': { status: 401, title: 'Not signed in' },
  'sign-in-refused': { status: 401, title: 'Sign-in rejected' },
  'confirmation-required': { status: 403, title: 'Confirmation required' },
  'missing-role': { status: 403, title: 'Missing role' },
  'stronger-sign-in-required': { status: 403, title: 'Stronger sign-in required' },
  'request-forged': { status: 403, title: 'Forged request' },
  'invitation-outdated': { status: 409, title: 'Invitation outdated' },
  'upload-conflict': { status: 409, title: 'Upload conflict' },
  'tus-version': { status: 412, title: 'Unsupported tus version' },
  'tus-media-type': { status: 415, title: 'Unsupported upload media type' },
  'checksum-mismatch': { status: 460, title: 'Checksum mismatch' },
} as const satisfies Record<ErrorCode, { status: number; title: string }>;

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** The headers of every API response. Responses are private, and browsers must not guess the media type. */
export const COMMON_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' } as const;

const processPart = randomBytes(9).toString('base64url');
let count = 0;

/** A new id that names a request in its response and in the log. The id is unique across processes, is not secret, and reveals nothing. */
export function newRequestId(): string {
  count += 1;
  return `req_${processPart}${count.toString(36)}`;
}

/** The error for a path without a route. */
export function nothingHere(): AppError {
  return new AppError('not-found', 'Nothing exists at this path. Check the URL.');
}

/** A `Problem` of the API, or a problem with an error code of the dashboard. */
type ProblemDocument = Omit<Problem, 'type'> & { type: `/errors/${ErrorCode}` };

/** @param requestId the value of the header `X-Request-Id` */
export function problemDocument(error: AppError, requestId: string): ProblemDocument {
  const { status, title } = PROBLEMS[error.code];
  const errors = error.errors ?? (status === 422 ? {} : undefined);
  return {
    ...error.extensions,
    type: `/errors/${error.code}`,
    title,
    status,
    detail: error.message,
    instance: requestId,
    ...(errors === undefined ? {} : { errors: { ...errors } }),
  };
}

/** The complete response for an error. */
export function problemResponse(error: AppError, requestId: string) {
  const { status } = PROBLEMS[error.code];
  const headers: Record<string, string> = {
    ...COMMON_HEADERS,
    'content-type': PROBLEM_MEDIA_TYPE,
    'x-request-id': requestId,
  };
  // The dashboard does not send this header, because browsers use a session.
  if (status === 401 && !isOfDashboard(error.code)) headers['www-authenticate'] = 'Bearer';
  if (status === 429 || status === 503)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1)));
  return { status, headers, body: JSON.stringify(problemDocument(error, requestId)) };
}

function isOfDashboard(code: ErrorCode): boolean {
  return (DASHBOARD_ERROR_CODES as readonly ErrorCode[]).includes(code);
}
