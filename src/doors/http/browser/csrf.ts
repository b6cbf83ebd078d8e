import { createHmac } from 'node:crypto';

/**
 * The CSRF token that pages of this service send in addition to the session cookie. Attack: another site makes the browser send a request
 * with the session cookie. Other sites cannot compute the CSRF token, because it depends on the session token in a cookie that scripts
 * cannot read. Other sites also cannot read the `getSession` response, which contains the CSRF token.
 * @param sessionToken the value of the session cookie
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('posthorn csrf').digest('base64url');
}
