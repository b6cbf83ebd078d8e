/** Sample content of emails. */
import { outcomesOf } from '../../insights/counts/outcomes.ts';
import type { ReportedProblem, WeeklyDigest } from '../channel.ts';
import type { LetterContext } from './alert-letter.ts';

export const CONTEXT: LetterContext = {
  project: { id: 'prj_1', name: 'Acme Shop' },
  links: {
    problems: 'https://mail.example.com/dashboard?project=prj_1',
    alerts: 'https://mail.example.com/dashboard/alerts?project=prj_1',
  },
  timeZone: 'Europe/Berlin',
};

export const STOPPED: ReportedProblem = {
  change: 'opened',
  kind: 'stopped',
  severity: 1,
  tone: 'bad',
  resource: null,
  text: 'No emails are being sent. 1,204 emails are waiting.',
  since: '2026-11-30T17:05:00Z',
};

export const DOMAIN: ReportedProblem = {
  change: 'opened',
  kind: 'domain',
  severity: 3,
  tone: 'warn',
  resource: 'dom_2',
  text: 'DNS records of acme.example are missing. You can still send from it for up to 72 hours.',
  since: null,
};

export const DIGEST: WeeklyDigest = {
  from: '2026-11-23T00:00:00.000Z',
  until: '2026-11-30T00:00:00.000Z',
  week: {
    ...outcomesOf(undefined),
    emails: 12_480,
    recipients: 12_600,
    delivered: 12_391,
    bounced: 196,
    complained: 3,
    failed: 13,
    opened: 6_204,
    clicked: 1_120,
  },
  before: {
    ...outcomesOf(undefined),
    emails: 10_400,
    recipients: 10_450,
    delivered: 10_388,
    bounced: 60,
    complained: 2,
    failed: 2,
    opened: 5_020,
    clicked: 912,
  },
  reasons: [
    { category: 'unknown_user', count: 120 },
    { category: 'mailbox_full', count: 51 },
    { category: 'policy', count: 25 },
  ],
  providers: [
    { name: 'Gmail', bounced: 101, recipients: 6_000 },
    { name: '', bounced: 95, recipients: 4_200 },
  ],
  problems: [DOMAIN],
  more: 0,
};
