import type { SendEmail } from '../../contract/emails.ts';
import type { SendingDomain } from '../../domains/sending-domains.ts';
import type { Tracking } from '../../model/tracking.ts';
import { hasUnsubscribePlaceholder } from '../track/unsubscribe-placeholder.ts';

/** The tracking settings of a project, which apply if the domain has none. */
export interface ProjectTracking {
  trackOpens: boolean;
  trackClicks: boolean;
}

/** @returns the tracking of an email; null: no tracking. An email without HTML has neither a pixel nor links to track. */
export function trackingOf(
  project: ProjectTracking,
  domain: Pick<SendingDomain, 'trackOpens' | 'trackClicks'>,
  send: Pick<SendEmail, 'html' | 'text' | 'headers'>,
  baseUrl: () => string,
): Tracking | null {
  const hasHtml = send.html !== undefined && send.html !== '';
  const opens = hasHtml && (domain.trackOpens ?? project.trackOpens);
  const clicks = hasHtml && (domain.trackClicks ?? project.trackClicks);
  const unsubscribe = hasUnsubscribePlaceholder(send);
  return opens || clicks || unsubscribe ? { opens, clicks, unsubscribe, base_url: baseUrl() } : null;
}
