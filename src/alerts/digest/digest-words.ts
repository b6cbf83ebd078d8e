/** The words of a weekly digest, for all channels. */
import type { Outcomes } from '../../insights/counts/outcomes.ts';
import type { BounceCategory } from '../../model/bounce.ts';
import { DAY_MS } from '../../model/day.ts';
import { countText, dateText, percentageText } from '../../model/formats.ts';
import type { WeeklyDigest } from '../channel.ts';
import type { WeekInNumbers } from './weekly-digest.ts';

export const REASONS: Readonly<Record<BounceCategory, string>> = {
  unknown_user: 'The mailbox does not exist or is disabled',
  dns: 'The domain does not exist or accepts no mail',
  mailbox_full: 'The mailbox is full',
  message_too_large: 'The message is too large',
  content: 'The content was rejected',
  policy: "A rule of the recipient's server",
  reputation: 'The sending server was rejected',
  auth: 'Your domain could not be verified',
  network: 'A connection or DNS failed',
  expired: 'A server gave up after several attempts',
  suppressed: 'A relay no longer sends to the address',
  other: 'No clear reason',
};

/** The range of days, such as "23 Nov 2026 to 29 Nov 2026 (UTC)". */
export function daysText({ from, until }: Pick<WeekInNumbers, 'from' | 'until'>): string {
  return `${dateText(Date.parse(from))} to ${dateText(Date.parse(until) - DAY_MS)} (UTC)`;
}

/** The emails of the week, compared with the week before. */
export function comparison({ week, before }: Pick<WeekInNumbers, 'week' | 'before'>): string {
  const emails = `${countText(week.emails)} ${week.emails === 1 ? 'email' : 'emails'}`;
  if (before.emails === 0) return `${emails}, and none in the week before`;
  const change = Math.round((week.emails / before.emails - 1) * 100);
  if (change === 0) return `${emails}, as many as in the week before`;
  return `${emails}, ${countText(Math.abs(change))}% ${change > 0 ? 'more' : 'fewer'} than in the week before`;
}

interface Row {
  name: string;
  /** The number, and its share of all recipients or deliveries. */
  valueOf(outcomes: Outcomes): string;
}

/** The rows of the numbers. Opens and clicks are listed only if there are any, because a project may not track them. */
export function rowsOf({ week, before }: Pick<WeekInNumbers, 'week' | 'before'>): Row[] {
  const share = (name: keyof Outcomes, of: keyof Outcomes) => (outcomes: Outcomes) =>
    withShare(outcomes[name], outcomes[of]);
  const isTracked = week.opened + week.clicked + before.opened + before.clicked > 0;
  const failed = week.failed + before.failed > 0;
  return [
    { name: 'Emails', valueOf: ({ emails }) => countText(emails) },
    { name: 'Recipients', valueOf: ({ recipients }) => countText(recipients) },
    { name: 'Delivered', valueOf: share('delivered', 'recipients') },
    { name: 'Bounced', valueOf: share('bounced', 'recipients') },
    { name: 'Marked as spam', valueOf: share('complained', 'delivered') },
    ...(failed ? [{ name: 'Failed', valueOf: share('failed', 'recipients') }] : []),
    ...(isTracked
      ? [
          { name: 'Opened', valueOf: share('opened', 'delivered') },
          { name: 'Clicked', valueOf: share('clicked', 'delivered') },
        ]
      : []),
  ];
}

function withShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return countText(part);
  const share = part / whole;
  return `${countText(part)} (${percentageText(share)})`;
}

/** The digest in a few sentences, for chat messages. */
export function digestSummary(digest: WeeklyDigest): string {
  const { week, problems, more } = digest;
  const open = problems.length + more;
  return [
    `${daysText(digest)}: ${comparison(digest)}.`,
    `Delivered ${withShare(week.delivered, week.recipients)}, bounced ${withShare(week.bounced, week.recipients)}, marked as spam ${withShare(week.complained, week.delivered)}.`,
    open === 0
      ? 'No problem is open.'
      : `${open} ${open === 1 ? 'problem needs' : 'problems need'} attention.`,
  ].join(' ');
}
