import { createHmac } from 'node:crypto';

/**
 * The token that our pages send in addition to the cookie, because browsers may also send the cookie for other sites. The token can be
 * computed only from the session token, which is in a cookie that scripts cannot read. `getSession` returns the token, and other sites
 * cannot read that response.
 * @param sessionToken the value of the cookie
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('posthorn csrf').digest('base64url');
}
