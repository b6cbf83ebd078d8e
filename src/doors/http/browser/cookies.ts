/** Session cookies: scripts cannot read them, and browsers do not send them with requests from other sites that change something. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Browsers accept a name with `__Host-` only over https, for this host alone and all its paths (draft-ietf-httpbis-rfc6265bis).
 * The plain name is for trying the service out on a machine without a certificate.
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** All cookies of a request, by full name. If two cookies have the same name, the first wins: browsers send the more specific one first. */
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
  /** See `cookieName`. */
  name: string;
  /** null deletes the cookie */
  value: string | null;
  maxAgeSeconds: number;
  isSecure: boolean;
  /** Limits the cookie to this path. If absent, the cookie is for all paths, as the prefix of `cookieName` requires. */
  path?: string;
}

/** Adds a cookie to those that the response already sets. */
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
