/** The session cookie of the dashboard. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../../../accounts/limits.ts';
import { cookieName, cookiesOf, setCookie } from '../browser/cookies.ts';

const NAME = 'posthorn_session';
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;

/** The session token. Null if the request has no session cookie. @param isSecure whether the browser uses https */
export function sessionTokenOf(request: Pick<FastifyRequest, 'headers'>, isSecure: boolean): string | null {
  return cookiesOf(request).get(cookieName(NAME, isSecure)) ?? null;
}

/** @param token the token to set; null deletes the cookie */
export function setSessionCookie(reply: FastifyReply, token: string | null, isSecure: boolean): void {
  const name = cookieName(NAME, isSecure);
  setCookie(reply, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS, isSecure });
}
