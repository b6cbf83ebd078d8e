/** Checks the URL of a webhook. The address behind a host name is checked when the connection is made. */
import { isIP } from 'node:net';
import { isDialable } from '../net/address-guard.ts';
import { isLocalhost } from '../net/guarded-lookup.ts';

/** In production, only https URLs and public addresses are valid. */
export type Environment = 'development' | 'production';

/** Attack: parsers read these characters differently, so one URL could mean two targets. */
const AMBIGUOUS = /[\u0000-\u0020\u007f\\]/;

/** Says what is wrong with the URL and what would be valid. Null if the URL is valid. */
export function urlProblem(text: string, environment: Environment): string | null {
  const isProduction = environment === 'production';
  const form = `must be an absolute ${isProduction ? 'https' : 'https or http'} URL`;
  // `URL.parse` would also accept `https:host` and `https:///host`.
  if (AMBIGUOUS.test(text) || !/^https?:\/\/[^/]/i.test(text)) return form;
  const url = URL.parse(text);
  if (url === null || (isProduction && url.protocol !== 'https:')) return form;
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  if (text.includes('#')) return 'must not have a fragment (#...): it is never sent';
  if (isProduction && isNeverPublic(url.hostname)) return 'must not point to a private or local address';
  return null;
}

function isNeverPublic(hostname: string): boolean {
  const literal = hostname.replace(/^\[|\]$/g, '');
  return isIP(literal) === 0 ? isLocalhost(hostname) : !isDialable(literal, { allowLoopback: false });
}
