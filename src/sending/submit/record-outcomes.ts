/**
 * Records the outcome of mailbox mail for each recipient: in the statement that removes the recipient from the queue or defers it, and
 * again if a server that accepted the message later reports that the message failed.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Cte } from '../../db/cte.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import type { EmailEvents, NewEvent } from '../events/record-events.ts';
import { NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';

interface Change {
  projectId: string;
  submissionId: string;
  recipientIndex: number;
  /** Null while delivery is not finished. */
  outcome: 'delivered' | 'relayed' | 'failed' | null;
  detail: object | null;
  /**
   * `complained`: the recipient complained, which does not change the outcome. `bounced`: a report by mail says that the message bounced.
   */
  reported: 'bounced' | 'complained' | null;
  reportsSuccessItself: boolean;
}

const CHANGES = rowsOf<Change>('c', {
  project_id: ['uuid', ({ projectId }) => projectId],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
  recipient_index: ['int2', ({ recipientIndex }) => recipientIndex],
  outcome: ['text', ({ outcome }) => outcome],
  asks: [
    'int2',
    ({ outcome, reportsSuccessItself }) =>
      outcome === 'failed' ? NOTIFY.failure : outcome === null || reportsSuccessItself ? 0 : NOTIFY.success,
  ],
  detail: ['json', ({ detail }) => detail],
  reported: ['text', ({ reported }) => reported],
});

type RecipientEvents = EmailEvents & {
  recipientIndex: number;
  /** Whether the next server sends the success notice that the sender requested. */
  reportsSuccessItself?: boolean | undefined;
  /** Present if the event is from a report by mail. Any person who ever got mail from the mailbox could have forged the report. */
  byMail?: {
    /** The outcome before the report. */
    was: 'delivered' | 'relayed';
    /** Whether the event is evidence against the sender (src/sending/locks). */
    isIncriminating: boolean;
  };
};

/**
 * The CTE that updates recipients of submissions from events: their last detail, their outcome, and whether the sender gets a notice.
 * Emails are ignored.
 * @param changes the events of each recipient
 * @param gate a CTE with project_id, email_id and recipient_index: only recipients in the CTE are updated; null: all of `changes` are
 * updated
 */
export function recordingOutcomes(
  changes: readonly RecipientEvents[],
  gate: Cte | null,
): RawBuilder<unknown> {
  const rows = changes.flatMap(changeOf);
  const gated =
    gate === null
      ? sql``
      : sql`and (c.project_id, c.submission_id, c.recipient_index) in (select g.project_id, g.email_id, g.recipient_index from ${gate.name} g)`;
  return sql`
    told as (
      update submission_recipients r
      set outcome = c.outcome, detail = c.detail, ended_at = case when c.outcome is null then null else now() end,
          notice_due = r.notify & c.asks <> 0,
          reported = c.reported, reported_at = case when c.reported is null then null else now() end
      from ${CHANGES.from(rows)}
      where r.project_id = c.project_id and r.submission_id = c.submission_id and r.recipient_index = c.recipient_index
        and r.outcome is null ${gated}
    )`;
}

/** Like `recordingOutcomes`, but executed in the caller's transaction. */
export async function recordOutcomes(
  tx: DatabaseTransaction,
  changes: readonly RecipientEvents[],
): Promise<void> {
  await sql`with ${recordingOutcomes(changes, null)} select`.execute(tx);
}

/**
 * Records reports that arrive after a server accepted the message: that the message failed after all, or that the recipient complained.
 * Repeated reports, and reports about recipients that are not `delivered` or `relayed`, are ignored.
 */
export async function recordReported(
  database: Database | DatabaseTransaction,
  changes: readonly RecipientEvents[],
): Promise<void> {
  const rows = changes
    .flatMap(changeOf)
    .filter(({ outcome, reported }) => outcome === 'failed' || reported !== null);
  if (rows.length === 0) return;
  const [failed, complains] = [sql`c.outcome = 'failed'`, sql`c.reported is not null and r.reported is null`];
  await sql`
    update submission_recipients r
    set outcome = case when ${failed} then c.outcome else r.outcome end,
        detail = case when ${failed} then c.detail else r.detail end,
        ended_at = case when ${failed} then now() else r.ended_at end,
        notice_due = case when ${failed} then r.notify & c.asks <> 0 else r.notice_due end,
        reported = case when ${complains} then c.reported else r.reported end,
        reported_at = case when ${complains} then now() else r.reported_at end
    from ${CHANGES.from(rows)}
    where r.project_id = c.project_id and r.submission_id = c.submission_id and r.recipient_index = c.recipient_index
      and r.outcome in ('delivered', 'relayed')`.execute(database);
}

function changeOf({
  projectId,
  emailId,
  recipientIndex,
  events,
  reportsSuccessItself = false,
  byMail,
}: RecipientEvents): Change[] {
  const result = outcomeOf(events);
  const bounced = byMail?.isIncriminating === true ? 'bounced' : null;
  const reported = events.some(({ type }) => type === 'complained') ? 'complained' : bounced;
  if (result === null && reported === null) return [];
  return [
    {
      projectId,
      submissionId: emailId,
      recipientIndex,
      outcome: null,
      detail: null,
      ...result,
      ...(result?.detail != null &&
        byMail !== undefined && { detail: { ...result.detail, was: byMail.was } }),
      reported,
      reportsSuccessItself,
    },
  ];
}

/** The outcome of the last event that has an outcome. */
function outcomeOf(events: readonly NewEvent[]): Pick<Change, 'outcome' | 'detail'> | null {
  let result: Pick<Change, 'outcome' | 'detail'> | null = null;
  for (const { type, detail } of events) {
    if (type === 'sent') result = { outcome: 'relayed', detail: noticeDetailOf(detail) };
    else if (type === 'delivered') result = { outcome: 'delivered', detail: noticeDetailOf(detail) };
    else if (type === 'bounced' || type === 'failed')
      result = { outcome: 'failed', detail: noticeDetailOf(detail) };
    else if (type === 'deferred') result = { outcome: null, detail: noticeDetailOf(detail) };
  }
  return result;
}

/** The detail without the SMTP dialogue, which is long and which notices do not need. Mailbox mail never adds to the suppression list. */
function noticeDetailOf(detail: object | null): object | null {
  if (detail === null) return null;
  const { dialogue: _, ...rest } = detail as { dialogue?: unknown };
  return 'suppressed' in rest ? { ...rest, suppressed: false } : rest;
}
