import type { SendEmail } from '../../contract/emails.ts';
import type { SendingDomain } from '../../domains/sending-domains.ts';
import type { Tracking } from '../../model/tracking.ts';
import { asksToUnsubscribe } from '../track/unsubscribe-placeholder.ts';

/** What a project tracks where the domain says nothing of its own. */
export interface ProjectTracking {
  trackOpens: boolean;
  trackClicks: boolean;
}

/** What is tracked of an email; null: nothing. There is nothing to open or to click in an email without HTML. */
export function trackingOf(
  project: ProjectTracking,
  domain: Pick<SendingDomain, 'trackOpens' | 'trackClicks'>,
  send: Pick<SendEmail, 'html' | 'text' | 'headers'>,
  baseUrl: () => string,
): Tracking | null {
  const hasHtml = send.html !== undefined && send.html !== '';
  const opens = hasHtml && (domain.trackOpens ?? project.trackOpens);
  const clicks = hasHtml && (domain.trackClicks ?? project.trackClicks);
  const unsubscribe = asksToUnsubscribe(send);
  return opens || clicks || unsubscribe ? { opens, clicks, unsubscribe, base_url: baseUrl() } : null;
}
