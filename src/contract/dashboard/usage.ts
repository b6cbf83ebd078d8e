/** A project's usage of its plan (docs/plans.md). */
import { Type } from 'typebox';
import { PLANS } from '../../model/plans.ts';
import { Id, Nullable, Ref, Timestamp, Words } from '../schema.ts';
import { CountedAt, RetainedSince } from './freshness.ts';

const Amount = Type.Object({
  used: Type.Integer(),
  limit: Nullable(Type.Integer({ description: 'Null: no limit.' })),
});
const LaterCounted = Nullable(Type.Integer({ description: 'Null: not counted on that day.' }));

export const Usage = Type.Object(
  {
    plan: Words(PLANS),
    month: Type.Object(
      { from: Timestamp, until: Timestamp },
      { description: 'The calendar month (UTC) that emails count in; the next one begins at `until`.' },
    ),
    counted_at: CountedAt,
    retained_since: RetainedSince,
    emails: Amount,
    mailbox_emails: Amount,
    storage_bytes: Amount,
    mailboxes: Amount,
    own_domains: Amount,
    file_bytes: Type.Integer({ description: 'The largest file in a message from a mailbox.' }),
    file_link_bytes: Type.Unsafe<Type.Static<typeof Amount>>({
      ...Amount,
      description: 'The total size of the files of all live links.',
    }),
    days: Type.Array(
      Type.Object({
        day: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'UTC' }),
        emails: Type.Integer(),
        mailbox_emails: LaterCounted,
        storage_bytes: LaterCounted,
        mailboxes: LaterCounted,
        own_domains: LaterCounted,
        file_link_bytes: LaterCounted,
      }),
      { description: 'The last 30 days, oldest first. Amounts are measured at the end of each day.' },
    ),
  },
  { $id: 'Usage' },
);
export type Usage = Type.Static<typeof Usage>;

/** The values by which mailboxes can be sorted, highest first. */
const MAILBOX_USAGES = ['storage', 'month', 'today'] as const;

export const MailboxUsage = Type.Object(
  {
    id: Id('mbx'),
    address: Type.String(),
    octets: Type.Integer({ minimum: 0, description: 'The size of its messages in all folders.' }),
    quota_mb: Type.Integer(),
    month_emails: Type.Integer({ minimum: 0, description: 'The emails sent in this calendar month (UTC).' }),
    today_emails: Type.Integer({ minimum: 0, description: 'The emails sent today (UTC).' }),
    daily_send_limit: Nullable(
      Type.Integer({ description: 'Recipients per day. Null: no limit of its own.' }),
    ),
  },
  { $id: 'MailboxUsage' },
);
export type MailboxUsage = Type.Static<typeof MailboxUsage>;

export const MailboxUsagePage = Type.Object(
  { data: Type.Array(Ref(MailboxUsage)), next_cursor: Nullable(Type.String()) },
  { $id: 'MailboxUsagePage' },
);
export type MailboxUsagePage = Type.Static<typeof MailboxUsagePage>;

export const MailboxSending = Type.Object(
  {
    month_emails: MailboxUsage.properties.month_emails,
    day_recipients: Type.Integer({
      minimum: 0,
      description: 'Recipients in the last 24 hours. The daily send limit applies to this number.',
    }),
    daily_send_limit: MailboxUsage.properties.daily_send_limit,
  },
  { $id: 'MailboxSending', description: 'The emails that a mailbox sends.' },
);
export type MailboxSending = Type.Static<typeof MailboxSending>;

export const MailboxUsageQuery = Type.Object(
  {
    by: Type.Optional(
      Words(MAILBOX_USAGES, { description: 'The sort order, highest first. Default: storage.' }),
    ),
    cursor: Type.Optional(Type.String({ maxLength: 200 })),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
  },
  { additionalProperties: false },
);
export type MailboxUsageQuery = Type.Static<typeof MailboxUsageQuery>;
