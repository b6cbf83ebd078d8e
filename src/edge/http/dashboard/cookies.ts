/** The cookie of a session: no script reads it, and no page of others sends it with what changes something. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../../../accounts/limits.ts';

/** A browser takes a name with `__Host-` only over https, for this host alone and for all of its paths (draft-ietf-httpbis-rfc6265bis). */
const SECURE_NAME = '__Host-posthorn_session';
/** On a machine for trying out, which has no certificate. */
const PLAIN_NAME = 'posthorn_session';
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;

/** The token of the session; null when the request has none. @param isSecure whether the browser came by https */
export function sessionTokenOf(
  { headers }: Pick<FastifyRequest, 'headers'>,
  isSecure: boolean,
): string | null {
  const name = isSecure ? SECURE_NAME : PLAIN_NAME;
  for (const pair of (headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** @param token null: the browser forgets it */
export function setSessionCookie(reply: FastifyReply, token: string | null, isSecure: boolean): void {
  const parts = [
    `${isSecure ? SECURE_NAME : PLAIN_NAME}=${token ?? ''}`,
    `Max-Age=${token === null ? 0 : MAX_AGE_SECONDS}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ];
  reply.header('set-cookie', parts.join('; '));
}
