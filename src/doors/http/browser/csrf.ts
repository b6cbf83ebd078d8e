import { createHmac } from 'node:crypto';

/**
 * The token that our pages send in addition to the cookie, which the browser would also send for other sites. It can be computed only
 * from the session token, which is in a cookie that scripts cannot read. `getSession` returns it, and other sites cannot read that response.
 * @param sessionToken the value of the cookie
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('posthorn csrf').digest('base64url');
}
