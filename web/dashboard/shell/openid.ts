/** The way to the OpenID provider and back. What the tab keeps in between is what makes its answer worth anything. */
import type { StartedOpenId } from '../../../src/contract/dashboard/factors.ts';

const TICKET = 'posthorn-openid';
const KIND = 'posthorn-openid-for';

export type OpenIdPurpose = 'sign-in' | 'confirmation';

export function goToProvider({ ticket, url }: StartedOpenId, purpose: OpenIdPurpose): void {
  sessionStorage.setItem(TICKET, ticket);
  sessionStorage.setItem(KIND, purpose);
  location.assign(url);
}

/** What was kept. An empty ticket: this tab has not asked. */
export function takeTicket(): { ticket: string; purpose: OpenIdPurpose } {
  const ticket = sessionStorage.getItem(TICKET) ?? '';
  const purpose = sessionStorage.getItem(KIND) === 'confirmation' ? 'confirmation' : 'sign-in';
  sessionStorage.removeItem(TICKET);
  sessionStorage.removeItem(KIND);
  return { ticket, purpose };
}
