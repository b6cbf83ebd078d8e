/**
 * Session cookies. Scripts cannot read session cookies, and browsers do not add session cookies to state-changing requests from other
 * sites.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * The full name of a cookie. Browsers accept a name that begins with `__Host-` only over https, for one host and all its paths
 * (draft-ietf-httpbis-rfc6265bis). The plain name is for trying out the service on a machine without a certificate.
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/**
 * All cookies of a request, by full name. If two cookies have the same name, the first wins, because browsers send the more specific one
 * first.
 */
export function cookiesOf({ headers }: Pick<FastifyRequest, 'headers'>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const pair of (headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    if (equals !== -1 && !found.has(name)) found.set(name, pair.slice(equals + 1).trim());
  }
  return found;
}

interface Cookie {
  /** The full name, from `cookieName`. */
  name: string;
  /** Null deletes the cookie. */
  value: string | null;
  maxAgeSeconds: number;
  isSecure: boolean;
  /** Limits the cookie to this path. If absent, the cookie is for all paths, which the prefix `__Host-` requires. */
  path?: string;
}

/** Adds a `Set-Cookie` header to the response. Cookies that were added earlier stay. */
export function setCookie(
  reply: FastifyReply,
  { name, value, maxAgeSeconds, isSecure, path = '/' }: Cookie,
): void {
  const parts = [
    `${name}=${value ?? ''}`,
    `Max-Age=${value === null ? 0 : maxAgeSeconds}`,
    `Path=${path}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}
