/** The storage and the sent emails of each mailbox of a project, largest first. No mail is read. */
import { sql } from 'kysely';
import { dayOf } from '../../accounts/usage.ts';
import type { MailboxSending, MailboxUsagePage, MailboxUsageQuery } from '../../contract/dashboard/usage.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import * as clock from '../../model/clock.ts';
import { cursorOf } from '../../model/cursor.ts';
import { DAY_MS } from '../../model/day.ts';
import { encodeId, firstUuidAt } from '../../model/ids.ts';
import { monthOf } from '../../model/month.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { addressOf } from '../../mailboxes/local-part.ts';

const USAGE = columnsOf({
  id: 'uuid',
  localPart: 'text',
  domain: 'text',
  octets: 'float8',
  quotaMb: 'int4',
  month: 'int4',
  today: 'int4',
  dailySendLimit: 'int4?',
});
const SENDING = columnsOf({ month: 'int4', recipients: 'int4', dailySendLimit: 'int4?' });

const AMOUNTS = { storage: 'octets', month: 'month', today: 'today' } as const satisfies Record<
  NonNullable<MailboxUsageQuery['by']>,
  unknown
>;

const PAGE_END = cursorOf('mailbox usage', { amount: 'unsigned', id: 'uuid' });

/** @throws AppError validation-failed if the cursor is invalid */
export async function readMailboxUsage(
  database: Database,
  projectId: string,
  { by = 'storage', cursor, limit }: MailboxUsageQuery,
): Promise<MailboxUsagePage> {
  const month = monthOf(clock.now());
  const today = new Date(Math.floor(clock.nowMs() / DAY_MS) * DAY_MS);
  const after = cursor === undefined ? null : PAGE_END.decode(cursor);
  const amount = sql.ref(AMOUNTS[by]);
  const { rows } = await USAGE.sql`
    with sent as (
      -- All of these are less than a week old, and one index covers the query.
      select mailbox_id, count(*)::int as month, (count(*) filter (where id >= ${firstUuidAt(today)}))::int as today
      from submissions where project_id = ${projectId} and id >= ${firstUuidAt(month.start)} and kind = 'submitted'
      group by mailbox_id
    ), used as (
      select m.id, m.local_part, m.domain, coalesce(s.octets, 0)::float8 as octets, m.quota_mb, m.daily_send_limit,
        coalesce(sent.month, 0) + coalesce(d.submissions, 0) as month, coalesce(sent.today, 0) as today
      from mailboxes m
      left join mailbox_states s on s.project_id = m.project_id and s.mailbox_id = m.id
      left join sent on sent.mailbox_id = m.id
      left join deleted_submissions_of_mailboxes d
        on d.project_id = m.project_id and d.mailbox_id = m.id and d.month = ${dayOf(month)}::date
      where m.project_id = ${projectId}
    )
    select * from used
    where ${after === null ? sql`true` : sql`(${amount}, id) < (${after.amount}::float8, ${after.id}::uuid)`}
    order by ${amount} desc, id desc limit ${limit + 1}`.execute(database);
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    data: rows.slice(0, limit).map((row) => ({
      id: encodeId('mbx', row.id),
      address: addressOf(row),
      octets: row.octets,
      quota_mb: row.quotaMb,
      daily_send_limit: row.dailySendLimit,
      month_emails: row.month,
      today_emails: row.today,
    })),
    next_cursor:
      last === undefined ? null : PAGE_END.encode({ amount: String(last[AMOUNTS[by]]), id: last.id }),
  };
}

/** The number of emails that one mailbox sent, with the mailbox's limit. Null if the project has no such mailbox. */
export async function readMailboxSending(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<MailboxSending | null> {
  const month = monthOf(clock.now());
  const dayAgo = new Date(clock.nowMs() - DAY_MS);
  const { rows } = await SENDING.sql`
    select m.daily_send_limit, sent.month + coalesce(d.submissions, 0) as month, sent.recipients
    from mailboxes m
    cross join lateral (
      select (count(*) filter (where id >= ${firstUuidAt(month.start)}))::int as month,
        coalesce(sum(recipients) filter (where id >= ${firstUuidAt(dayAgo)}), 0)::int as recipients
      from submissions s where s.project_id = m.project_id and s.mailbox_id = m.id and s.kind = 'submitted'
    ) sent
    left join deleted_submissions_of_mailboxes d
      on d.project_id = m.project_id and d.mailbox_id = m.id and d.month = ${dayOf(month)}::date
    where m.project_id = ${projectId} and m.id = ${mailboxId}`.execute(database);
  const [row] = rows;
  if (row === undefined) return null;
  return {
    month_emails: row.month,
    day_recipients: row.recipients,
    daily_send_limit: row.dailySendLimit,
  };
}
