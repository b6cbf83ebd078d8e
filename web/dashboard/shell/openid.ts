/**
 * The redirect to the OpenID provider and back. A ticket stored in the tab proves that the same tab started the sign-in.
 */
import type { StartedOpenId } from '../../../src/contract/dashboard/factors.ts';

const TICKET = 'posthorn-openid';
const KIND = 'posthorn-openid-for';

export type OpenIdPurpose = 'sign-in' | 'confirmation';

export function goToProvider({ ticket, url }: StartedOpenId, purpose: OpenIdPurpose): void {
  sessionStorage.setItem(TICKET, ticket);
  sessionStorage.setItem(KIND, purpose);
  location.assign(url);
}

/** Removes and returns the stored ticket. The ticket is empty if this tab did not start a sign-in. */
export function takeTicket(): { ticket: string; purpose: OpenIdPurpose } {
  const ticket = sessionStorage.getItem(TICKET) ?? '';
  const purpose = sessionStorage.getItem(KIND) === 'confirmation' ? 'confirmation' : 'sign-in';
  sessionStorage.removeItem(TICKET);
  sessionStorage.removeItem(KIND);
  return { ticket, purpose };
}
