/** Parses the responses of an ACME server (RFC 8555, section 7.1). Each function returns null for an invalid response. */

export interface AcmeDirectory {
  newNonce: string;
  newAccount: string;
  newOrder: string;
}

export interface AcmeOrder {
  status: string;
  authorizations: readonly string[];
  finalize: string;
  /** The URL of the certificate. Null if the certificate is not issued yet. */
  certificate: string | null;
  problem: AcmeProblem | null;
}

interface AcmeChallenge {
  type: string;
  url: string;
  token: string;
  problem: AcmeProblem | null;
}

export interface AcmeAuthorization {
  status: string;
  challenges: readonly AcmeChallenge[];
}

export interface AcmeProblem {
  /** The error type without the ACME namespace, such as `rateLimited`. */
  type: string;
  /** A human-readable line. */
  detail: string;
}

const MAX_ITEMS = 100;
const MAX_DETAIL = 500;
const MAX_RETRY_MS = 7 * 86_400_000;
const NAMESPACE = 'urn:ietf:params:acme:error:';
/** A token is base64url (RFC 8555, section 8.1). Other characters are rejected, because the token becomes part of a path. */
const TOKEN = /^[\w-]{16,200}$/;

type Fields = Readonly<Record<string, unknown>>;

export function readDirectory(json: unknown): AcmeDirectory | null {
  const { newNonce, newAccount, newOrder } = fieldsOf(json);
  const [nonce, account, order] = [urlOf(newNonce), urlOf(newAccount), urlOf(newOrder)];
  return nonce === null || account === null || order === null
    ? null
    : { newNonce: nonce, newAccount: account, newOrder: order };
}

export function readOrder(json: unknown): AcmeOrder | null {
  const fields = fieldsOf(json);
  const finalize = urlOf(fields.finalize);
  const authorizations = listOf(fields.authorizations).map(urlOf);
  const { status } = fields;
  if (typeof status !== 'string' || finalize === null) return null;
  return {
    status,
    finalize,
    authorizations: authorizations.filter((url) => url !== null),
    certificate: urlOf(fields.certificate),
    problem: readProblem(fields.error),
  };
}

/** Parses an authorization. Omits challenges without an https URL or a valid token. */
export function readAuthorization(json: unknown): AcmeAuthorization | null {
  const { status, challenges } = fieldsOf(json);
  if (typeof status !== 'string') return null;
  return {
    status,
    challenges: listOf(challenges).flatMap((challenge): AcmeChallenge[] => {
      const { type, url, token, error } = fieldsOf(challenge);
      const at = urlOf(url);
      if (typeof type !== 'string' || at === null || typeof token !== 'string' || !TOKEN.test(token))
        return [];
      return [{ type, url: at, token, problem: readProblem(error) }];
    }),
  };
}

/** Parses an error (RFC 8555, section 6.7). */
export function readProblem(json: unknown): AcmeProblem | null {
  const { type, detail } = fieldsOf(json);
  if (typeof type !== 'string') return null;
  return {
    type: oneLine(type.startsWith(NAMESPACE) ? type.slice(NAMESPACE.length) : type),
    detail: typeof detail === 'string' ? oneLine(detail) : '',
  };
}

/** Parses Retry-After (RFC 8555, section 6.6; RFC 9110, section 10.2.3). @returns at most a week, in ms; null if missing or invalid */
export function readRetryAfter(field: unknown, nowMs: number): number | null {
  if (typeof field !== 'string') return null;
  const ms = /^\d{1,9}$/.test(field) ? Number(field) * 1_000 : Date.parse(field) - nowMs;
  return Number.isNaN(ms) ? null : Math.min(Math.max(ms, 0), MAX_RETRY_MS);
}

/**
 * Parses Location (RFC 8555, section 7.4; RFC 9110, section 10.2.2).
 * @param base URL of the request
 * @returns null if missing or not https
 */
export function readLocation(field: unknown, base: string): string | null {
  return typeof field === 'string' ? urlOf(URL.parse(field, base)?.href) : null;
}

function fieldsOf(json: unknown): Fields {
  return typeof json === 'object' && json !== null ? (json as Fields) : {};
}

function listOf(json: unknown): readonly unknown[] {
  return Array.isArray(json) ? json.slice(0, MAX_ITEMS) : [];
}

/** Accepts only https URLs (RFC 8555, section 6.1). */
function urlOf(json: unknown): string | null {
  const url = typeof json === 'string' ? URL.parse(json) : null;
  return url?.protocol === 'https:' ? url.href : null;
}

function oneLine(text: string): string {
  return text.slice(0, MAX_DETAIL).replaceAll(/\p{C}+/gu, ' ');
}
