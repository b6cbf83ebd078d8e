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

const IN_DOUBT = 'It is unknown whether';

/** The reply of an attempt whose message may have been accepted. @param event `Amazon SES accepted the message`, for example */
export function doubtful(event: string, why: string): string {
  return `${IN_DOUBT} ${event}: ${why}`;
}

/** Whether the reply of an attempt is one of `doubtful`. Replies of servers have a code. */
export function isDoubtful(detail: {
  smtp_code?: number | null;
  response?: string | null;
  diagnostic?: string | null;
}): boolean {
  const text = detail.response ?? detail.diagnostic;
  return detail.smtp_code === null && text?.startsWith(IN_DOUBT) === true;
}
