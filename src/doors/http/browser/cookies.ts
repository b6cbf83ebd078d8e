/** Cookies of sessions: no script reads them, and no page of others sends them with what changes something. */
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A browser takes a name with `__Host-` only over https, for this host alone and for all of its paths (draft-ietf-httpbis-rfc6265bis).
 * The plain one is for a machine for trying out, which has no certificate.
 */
export function cookieName(name: string, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/** All that the request has, by their whole names. Of two with one name the first counts: browsers send the narrower one first. */
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
  /** null: the browser forgets it */
  value: string | null;
  maxAgeSeconds: number;
  isSecure: boolean;
  /** For what is below it alone. Absent: for all, as the prefix of `cookieName` asks. */
  path?: string;
}

/** Beside those that the answer sets already. */
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
