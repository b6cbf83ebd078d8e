/** The cookie of a session of the dashboard. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../../../accounts/limits.ts';
import { cookieName, cookiesOf, setCookie } from '../browser/cookies.ts';

const NAME = 'posthorn_session';
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;

/** The token of the session; null when the request has none. @param isSecure whether the browser came by https */
export function sessionTokenOf(request: Pick<FastifyRequest, 'headers'>, isSecure: boolean): string | null {
  return cookiesOf(request).get(cookieName(NAME, isSecure)) ?? null;
}

/** @param token null: the browser forgets it */
export function setSessionCookie(reply: FastifyReply, token: string | null, isSecure: boolean): void {
  const name = cookieName(NAME, isSecure);
  setCookie(reply, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS, isSecure });
}
