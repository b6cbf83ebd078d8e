/** The session cookies of the web client. A browser has one cookie for each mailbox that it is signed in to. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_DAYS } from '../../../accounts/limits.ts';
import { cookieName, cookiesOf, setCookie } from '../browser/cookies.ts';

/** The start of a cookie's name. The rest of the name is the uuid of the mailbox, without hyphens. */
const NAME = 'posthorn_mail_';
const HEX = /^[0-9a-f]{32}$/;
const MAX_AGE_SECONDS = SESSION_DAYS * 86_400;
/** Maximum cookies to read. Attackers can send many cookies, but pages of the web client never set more than this. */
const MAX_READ = 32;

function nameOf(mailboxId: string, isSecure: boolean): string {
  return cookieName(NAME + mailboxId.replaceAll('-', ''), isSecure);
}

/** The session token of a mailbox. Null if the request has no cookie for the mailbox. */
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

/** @param token the token to set; null deletes the cookie */
export function setMailCookie(
  reply: FastifyReply,
  mailboxId: string,
  token: string | null,
  isSecure: boolean,
): void {
  const name = nameOf(mailboxId, isSecure);
  setCookie(reply, { name, value: token, maxAgeSeconds: MAX_AGE_SECONDS, isSecure });
}
