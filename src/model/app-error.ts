/**
 * The codes of `AppError`, the only error that the core throws on purpose. Codes are stable. Each server (HTTP, SMTP, IMAP, POP3) maps them
 * to the replies of its protocol. They are the slugs in `docs/errors.md` and `docs/dashboard.md`.
 */
export const ERROR_CODES = [
  'bad-request',
  'malformed-json',
  'unsupported-media-type',
  'hosted-domain-protected',
  'synced-member-protected',
  'domain-in-use',
  'missing-api-key',
  'invalid-api-key',
  'missing-scope',
  'not-found',
  'method-not-allowed',
  'payload-too-large',
  'validation-failed',
  'domain-not-verified',
  'idempotency-key-reused',
  'already-exists',
  'plan-limit-exceeded',
  'rate-limited',
  'quota-exceeded',
  'internal',
  'unavailable',
] as const;

/** Codes that the API under `/v1` never returns (docs/dashboard.md). */
export const DASHBOARD_ERROR_CODES = [
  'not-signed-in',
  'sign-in-refused',
  'confirmation-required',
  'missing-role',
  'stronger-sign-in-required',
  'request-forged',
  'invitation-outdated',
  'upload-conflict',
  'checksum-mismatch',
  'tus-version',
  'tus-media-type',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number] | (typeof DASHBOARD_ERROR_CODES)[number];

export interface AppErrorFields {
  /** By top-level field of the request: what is wrong with its value, and what is valid. */
  errors?: Readonly<Record<string, string>>;
  /** The time after which a retry may succeed. */
  retryAfterSeconds?: number;
  /** Further members of the problem document (RFC 9457, section 3.2), snake_case. */
  extensions?: Readonly<Record<string, string>>;
  cause?: unknown;
}

export class AppError extends Error {
  override readonly name = 'AppError';
  readonly code: ErrorCode;
  readonly errors: Readonly<Record<string, string>> | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly extensions: Readonly<Record<string, string>> | undefined;

  /** @param detail one sentence for the caller: what is wrong and what to change. Must not contain a secret or an id. */
  constructor(code: ErrorCode, detail: string, fields: AppErrorFields = {}) {
    super(detail, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.code = code;
    this.errors = fields.errors;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.extensions = fields.extensions;
  }
}

/** How long an `unavailable` error tells clients to wait before they retry. */
const RETRY_SECONDS = 5;

/** A temporary failure: a retry in a few seconds may succeed. */
export function unavailable(detail: string): AppError {
  return new AppError('unavailable', detail, { retryAfterSeconds: RETRY_SECONDS });
}

/** The error 422 about one or more fields of the request. */
export function validationError(errors: Readonly<Record<string, string>>): AppError {
  return new AppError('validation-failed', 'The request has invalid fields. See errors.', {
    errors,
  });
}
