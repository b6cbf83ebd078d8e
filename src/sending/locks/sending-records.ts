/** Counts the outcomes of mail by mailbox, from the rows of recipients, for mailboxes with rejections. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { DAY_MS } from '../../model/day.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { MAILBOX_KEY, type MailboxKey } from '../../store/lock-mailboxes.ts';
import { SENDING_RECORD, INCRIMINATING } from './thresholds.ts';
import { TIMINGS } from './timings.ts';

const WEEK_MS = 7 * DAY_MS;
/** The maximum number of rows that one check reads, newest first. */
const MAX_ROWS = 20_000;

/** Condition: mail was rejected or complained about lately. */
export function hasRejected(): RawBuilder<unknown> {
  const since = new Date(clock.nowMs() - TIMINGS.idleMs);
  return sql`(
    exists (select from submission_recipients where outcome = 'failed' and ended_at >= ${since})
    or exists (select from submission_recipients where reported is not null and reported_at >= ${since})
  )`;
}

/** Unlocked mailboxes with rejected mail or complaints since the given time. */
export async function findRejected(database: Database, since: Date): Promise<MailboxKey[]> {
  const { rows } = await MAILBOX_KEY.sql`
    select distinct s.project_id, s.mailbox_id
    from (
      (select project_id, submission_id from submission_recipients
        where outcome = 'failed' and ended_at >= ${since} order by ended_at desc limit ${MAX_ROWS})
      union all
      (select project_id, submission_id from submission_recipients
        where reported is not null and reported_at >= ${since} order by reported_at desc limit ${MAX_ROWS})
    ) r
    join submissions s on s.project_id = r.project_id and s.id = r.submission_id
    where s.kind = 'submitted' and not exists (
      select from sending_locks l
      where l.project_id = s.project_id and l.mailbox_id = s.mailbox_id and l.locked_at is not null)
    order by s.project_id, s.mailbox_id`.execute(database);
  return rows;
}

const KEYS = rowsOf<MailboxKey>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  mailbox_id: ['uuid', ({ mailboxId }) => mailboxId],
});

const RECORD = columnsOf({ ...MAILBOX_KEY.kinds, ...SENDING_RECORD.kinds });

/** Counts the mail that a mailbox sent in the last week and after its last unlock. Automatic mail, such as forwards, does not count. */
export async function readRecords(
  database: Database,
  mailboxes: readonly MailboxKey[],
): Promise<RowOf<typeof RECORD>[]> {
  const now = clock.nowMs();
  const day = firstUuidAt(new Date(now - DAY_MS));
  const week = firstUuidAt(new Date(now - WEEK_MS));
  const { rows } = await RECORD.sql`
    select k.project_id, k.mailbox_id,
      count(*) filter (where s.id >= ${day})::int as tried,
      count(*) filter (where s.id >= ${day} and r.is_refused)::int as refused,
      count(*) filter (where s.id >= ${day} and not r.is_refused and r.reported = 'bounced')::int as bounced,
      count(*)::int as tried_in_week,
      least(
        count(distinct r.address) filter (where r.reported = 'complained'),
        count(distinct s.id) filter (where r.reported = 'complained'))::int as complained
    from ${KEYS.from(mailboxes)}
    left join sending_locks l on l.project_id = k.project_id and l.mailbox_id = k.mailbox_id
    join submissions s on s.project_id = k.project_id and s.mailbox_id = k.mailbox_id and s.id >= ${week}
      and s.kind = 'submitted' and (l.counts_from is null or s.created_at >= l.counts_from)
    cross join lateral (
      -- A smart host accepts everything and reports failures later. Earlier versions left such recipients at relayed.
      select r.address, r.reported, case r.outcome
        when 'failed' then (coalesce(r.detail ->> 'category' = any (${INCRIMINATING}::text[]), false) or coalesce(r.detail ->> 'reason' = 'rejected', false))
          -- The recipient's server had accepted it, and a later report by mail may be forged.
          and r.detail ->> 'was' is distinct from 'delivered'
        when 'relayed' then coalesce(r.reported = 'bounced', false)
        else false end as is_refused
      from submission_recipients r
      where r.project_id = s.project_id and r.submission_id = s.id and r.outcome is not null
    ) r
    group by k.project_id, k.mailbox_id`.execute(database);
  return rows;
}
