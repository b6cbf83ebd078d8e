import { validationError } from '../model/app-error.ts';
import { type Environment, urlProblem } from '../webhooks/check-url.ts';

/** The URL of a route, without its user name and password. */
export interface RouteUrl {
  url: string;
  /** `user:password`; null if the URL has none. */
  credentials: string | null;
}

/** A user name and a password at the beginning of a URL. */
const CREDENTIALS = /^(https?:\/\/)([^/?#@\\\s]*)@/i;

/**
 * Checks the URL of a route like that of a webhook, and separates its user name and password, which are sent as Basic authentication.
 * @throws AppError validation-failed. The message names no part of the URL
 */
export function readUrl(text: string, environment: Environment): RouteUrl {
  const [whole = '', scheme = '', userInfo] = CREDENTIALS.exec(text) ?? [];
  const url = userInfo === undefined ? text : scheme + text.slice(whole.length);
  const problem = urlProblem(url, environment);
  if (problem !== null) throw validationError({ url: problem });
  return { url, credentials: userInfo === undefined ? null : readCredentials(userInfo) };
}

function readCredentials(userInfo: string): string {
  const at = userInfo.indexOf(':');
  const [user, password] = at === -1 ? [userInfo, ''] : [userInfo.slice(0, at), userInfo.slice(at + 1)];
  try {
    const decoded = decodeURIComponent(user);
    // Basic authentication has no way to write a colon in a user name (RFC 7617, section 2).
    if (!decoded.includes(':')) return `${decoded}:${decodeURIComponent(password)}`;
  } catch {
    // Not percent-encoded text.
  }
  throw validationError({ url: 'has a user name or a password that is not correctly percent-encoded' });
}
