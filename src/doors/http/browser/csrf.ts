import { createHmac } from 'node:crypto';

/**
 * What a page of ours sends beside the cookie, which the browser would send for any page. Only who has the token of the session can
 * make it, and that is in a cookie that no script reads: it is told by `getSession`, whose answers pages of others do not get to read.
 * @param sessionToken as in the cookie
 */
export function csrfTokenOf(sessionToken: string): string {
  return createHmac('sha256', sessionToken).update('posthorn csrf').digest('base64url');
}
