import { BOUNCE_CATEGORIES, type BounceCategory } from './bounce.ts';

/** Why a recipient waits for a retry, as far as the last reply says. `no_answer`: no server replied to the message. */
export const DEFERRALS = [...BOUNCE_CATEGORIES.filter(isOfReply), 'greylisting', 'no_answer'] as const;
export type Deferral = (typeof DEFERRALS)[number];

/** Whether the category says more about a temporary rejection than that the server was reached and the retries continue. */
export function isOfReply(
  category: BounceCategory,
): category is Exclude<BounceCategory, 'network' | 'expired'> {
  return category !== 'network' && category !== 'expired';
}

/** The beginning of the text of an attempt whose message may have been accepted. */
export const IN_DOUBT = 'It is unknown whether';

/** The reply of an attempt whose message may have been accepted. @param event `Amazon SES accepted the message`, for example */
export function doubtful(event: string, why: string): string {
  return `${IN_DOUBT} ${event}: ${why}`;
}
