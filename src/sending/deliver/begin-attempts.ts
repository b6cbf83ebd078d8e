/**
 * Moves rows from claimed to in flight, before any work on the message begins. Records the `sending` event of each email that has a
 * recipient who is not suppressed.
 */
import { sql } from 'kysely';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import { cte } from '../../db/cte.ts';
import type { Database } from '../../db/database.ts';
import type { ClaimedRow } from '../../queue/claim.ts';
import { markingInFlight } from '../../queue/settle.ts';
import { isLockedForSending } from '../../mailboxes/sending-lock.ts';
import { recordingEvents } from '../events/record-events.ts';
import { suppresses } from '../suppress/suppressing.ts';
import type { Job } from './job.ts';
import { SENDING } from './outcome-events.ts';
import {
  COMPOSED_CONTENT,
  type ComposedContent,
  type StoredEmail,
  SUBMITTED_CONTENT,
  type SubmittedContent,
} from './stored-email.ts';

const BEGUN = columnsOf({
  projectId: 'uuid',
  emailId: 'uuid',
  traceParent: 'text?',
  held: 'int2[]?',
  unsent: 'int2[]?',
});
const BEGUN_EMAIL = columnsOf({ ...BEGUN.kinds, ...COMPOSED_CONTENT.kinds });
const BEGUN_SUBMISSION = columnsOf({ ...BEGUN.kinds, ...SUBMITTED_CONTENT.kinds });

export interface BegunJob {
  job: Job;
  email: StoredEmail<ComposedContent | SubmittedContent>;
  /** Rows of the job that are still claimed under the lease but must not be sent, and the reason. */
  unsent: { rows: ClaimedRow[]; reason: UnsentReason };
}

/** `suppressed`: the address is on the project's suppression list. `locked`: the sending mailbox is locked for sending. */
type UnsentReason = 'suppressed' | 'locked';

/**
 * Uses one statement for the emails of a batch and one statement for mailbox mail.
 * @returns the jobs that may begin, without rows that are no longer claimed under the lease
 */
export async function beginAttempts(
  database: Database,
  leaseId: string,
  jobs: readonly Job[],
): Promise<BegunJob[]> {
  const { submissions = [], emails = [] } = Object.groupBy(jobs, ({ stream }) =>
    stream === 'mailbox' ? 'submissions' : 'emails',
  );
  const begun = await Promise.all([
    emails.length === 0 ? [] : beginEmails(database, leaseId, emails),
    submissions.length === 0 ? [] : beginSubmissions(database, leaseId, submissions),
  ]);
  return begun.flat();
}

async function beginEmails(database: Database, leaseId: string, jobs: readonly Job[]): Promise<BegunJob[]> {
  const held = markingInFlight(
    leaseId,
    jobs.flatMap((job) => job.rows),
  );
  const looked = cte(
    'looked',
    sql`
      select h.*, s.project_id is not null as is_listed
      from ${held.name} h left join suppressions s on ${suppresses('s', 'h')}`,
    held.sql,
  );
  const contacted = cte(
    'contacted',
    sql`select project_id, email_id, recipient_index from ${looked.name} where not is_listed`,
    looked.sql,
  );
  const sending = recordingEvents(
    jobs.map((job) => ({ ...job, events: [SENDING] })),
    contacted,
  );
  const { rows } = await BEGUN_EMAIL.sql`
    with ${contacted.sql}, ${sending}
    select h.held, h.unsent, e.project_id, e.id as email_id, e.sender, e.to_list, c.cc, c.reply_to, e.subject, e.scheduled_at, c.headers, c.html, c.text, c.tracking, c.trace_parent,
      g.digest, g.body_hash, g.message_id, g.layout
    from (
      select project_id, email_id, array_agg(recipient_index) filter (where not is_listed) as held,
             array_agg(recipient_index) filter (where is_listed) as unsent
      from ${looked.name}
      group by project_id, email_id
    ) h
    join emails e on e.project_id = h.project_id and e.id = h.email_id
    join email_contents c on c.project_id = h.project_id and c.email_id = h.email_id
    left join email_messages g on g.project_id = h.project_id and g.email_id = h.email_id
    -- Nothing is sent from a deleted project, not even mail of a request that ran during the deletion.
    where not exists (select from removals d where d.project_id = h.project_id and d.id = h.project_id)`.execute(
    database,
  );
  return begunOf(jobs, rows, 'suppressed');
}

/**
 * The suppression list does not apply to mailbox mail, because the owner of a mailbox may write to any address. Mail from a mailbox that
 * was locked after the mail was accepted is not sent, because the password of the mailbox may be stolen.
 */
async function beginSubmissions(
  database: Database,
  leaseId: string,
  jobs: readonly Job[],
): Promise<BegunJob[]> {
  const held = markingInFlight(
    leaseId,
    jobs.flatMap((job) => job.rows),
  );
  const { rows } = await BEGUN_SUBMISSION.sql`
    with ${held.sql}
    select case when not l.is_locked then h.recipients end as held, case when l.is_locked then h.recipients end as unsent, s.project_id, s.id as email_id, null as trace_parent,
      s.mailbox_id, s.kind, s.from_address, s.reverse_path, s.from_domain, s.message_id, s.digest, s.body_hash, s.is_utf8, s.envelope_id, s.returns,
      -- No delivery reports are requested for automatic mail.
      case when s.kind = 'submitted' then (
        select json_object_agg(r.recipient_index, json_build_object('notify', r.notify, 'originalRecipient', r.original_recipient))
        from submission_recipients r
        where r.project_id = s.project_id and r.submission_id = s.id and r.recipient_index = any (h.recipients)
      ) end as requested_reports
    from (
      select project_id, email_id, array_agg(recipient_index) as recipients from ${held.name} group by project_id, email_id
    ) h
    join submissions s on s.project_id = h.project_id and s.id = h.email_id
    cross join lateral (
      select s.kind = 'submitted' and ${isLockedForSending(sql`s.project_id`, sql`s.mailbox_id`)} as is_locked
    ) l
    -- Nothing is sent from a deleted project or mailbox.
    where not exists (select from removals d where d.project_id = h.project_id and d.id in (h.project_id, s.mailbox_id))`.execute(
    database,
  );
  return begunOf(jobs, rows, 'locked');
}

function begunOf(
  jobs: readonly Job[],
  rows: readonly (RowOf<typeof BEGUN_EMAIL> | RowOf<typeof BEGUN_SUBMISSION>)[],
  reason: UnsentReason,
): BegunJob[] {
  const begun = new Map(rows.map((row) => [row.emailId, row]));
  return jobs.flatMap((job) => {
    const row = begun.get(job.emailId);
    if (row === undefined) return [];
    const { projectId, emailId, traceParent, held, unsent } = row;
    const among = (indexes: number[] | null) =>
      job.rows.filter(({ recipientIndex }) => indexes?.includes(recipientIndex) === true);
    return [
      {
        email: { projectId, emailId, traceParent, content: row },
        job: { ...job, rows: among(held) },
        unsent: { rows: among(unsent), reason },
      },
    ];
  });
}
