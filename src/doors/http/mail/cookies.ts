/** The cookies of the web client: one for each mailbox that the browser is signed in to. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../../../accounts/limits.ts';
import { cookieName, cookiesOf, setCookie } from '../browser/cookies.ts';

/** The prefix of a cookie's name. The uuid of the mailbox follows, without hyphens. */
const NAME = 'posthorn_mail_';
const HEX = /^[0-9a-f]{32}$/;
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;
/** Maximum cookies to read. Attackers can send many; our pages never set more. */
const MAX_READ = 32;

function nameOf(mailboxId: string, isSecure: boolean): string {
  return cookieName(NAME + mailboxId.replaceAll('-', ''), isSecure);
}

/** The session token of a mailbox; null if the request has none. */
export function mailTokenOf(request: FastifyRequest, mailboxId: string, isSecure: boolean): string | null {
  return cookiesOf(request).get(nameOf(mailboxId, isSecure)) ?? null;
}

/** All session tokens by mailbox uuid, oldest cookie first. */
export function mailTokensOf(request: FastifyRequest, isSecure: boolean): ReadonlyMap<string, string> {
  const start = cookieName(NAME, isSecure);
  const found = new Map<string, string>();
  for (const [name, value] of cookiesOf(request)) {
    const hex = name.startsWith(start) ? name.slice(start.length) : '';
    if (found.size >= MAX_READ || !HEX.test(hex)) continue;
    found.set(hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-'), value);
  }
  return found;
}

/** @param token null deletes the cookie */
export function setMailCookie(
  reply: FastifyReply,
  mailboxId: string,
  token: string | null,
  isSecure: boolean,
): void {
  const name = nameOf(mailboxId, isSecure);
  setCookie(reply, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS, isSecure });
}
