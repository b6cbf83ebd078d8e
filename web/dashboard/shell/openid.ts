/**
 * The redirect to the OpenID provider and back. The ticket stored in the tab proves that this tab made the request.
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

/** The stored ticket. It is empty if this tab made no request. */
export function takeTicket(): { ticket: string; purpose: OpenIdPurpose } {
  const ticket = sessionStorage.getItem(TICKET) ?? '';
  const purpose = sessionStorage.getItem(KIND) === 'confirmation' ? 'confirmation' : 'sign-in';
  sessionStorage.removeItem(TICKET);
  sessionStorage.removeItem(KIND);
  return { ticket, purpose };
}
