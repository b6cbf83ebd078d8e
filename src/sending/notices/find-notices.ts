/** Finds the due notices about mail that mailboxes have sent. */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import * as clock from '../../model/clock.ts';
import { firstUuidAt, NIL_UUID } from '../../model/ids.ts';
import { IS_SANDBOX, kindOfRow, readInstallationClock } from '../../queue/provider-kind.ts';
import { NOTIFY } from '../../rfc/smtp/dsn-parameters.ts';
import { retryEndOf } from './retry-end.ts';
import { TIMINGS } from './timings.ts';
import type { NotifiedRecipient } from './notified-recipient.ts';

export const SUBMISSION_REF = columnsOf({ projectId: 'uuid', submissionId: 'uuid' });
type SubmissionRef = RowOf<typeof SUBMISSION_REF>;

const SUBMISSION = columnsOf({
  ...SUBMISSION_REF.kinds,
  mailboxId: 'uuid',
  /** Null: the mailbox is deleted. */
  localPart: 'text?',
  domain: 'text?',
  /** Whether reports are sent to the mailbox itself. */
  isOwn: 'bool',
  messageId: 'text',
  envelopeId: 'text?',
  returns: shaped<'full' | 'headers' | null>('text?'),
  digest: 'bytea',
  octets: 'int4',
  createdAt: 'timestamptz',
});

/** A submission, and the recipients that its sender must be notified about. */
export interface DueSubmission extends RowOf<typeof SUBMISSION> {
  recipients: DueRecipient[];
}

interface DueRecipient extends NotifiedRecipient {
  recipientIndex: number;
}

/** The maximum number of recipients per notice. */
const MAX_RECIPIENTS = 100;
/** The maximum number of projects per pass, and of submissions per project. */
const MAX_PROJECTS = 20;
const MAX_SUBMISSIONS = 10;
/** The maximum number of rows read per project. */
const MAX_ROWS = 1_000;

export interface NoticeScan {
  due: DueSubmission[];
  /** The project after which the next pass begins. `NIL_UUID` if the pass reached the last project. */
  next: string;
}

const ENDED = columnsOf({ projectId: 'uuid', submissionId: 'uuid?' });

/**
 * Finds submissions with finished recipients: a few submissions from each of several projects, so that no project waits for the many
 * submissions of another.
 * @param after UUID of the project that was served last
 */
export async function findEnded(database: Database, after: string): Promise<NoticeScan> {
  const gathered = new Date(clock.nowMs() - TIMINGS.gatherMs);
  const { rows } = await ENDED.sql`
    with recursive turns as (
      select * from (
        select project_id, 1 as turn from submission_recipients where notice_due and project_id > ${after}
        order by project_id limit 1
      ) first
      union all
      select n.project_id, t.turn + 1 from turns t cross join lateral (
        select r.project_id from submission_recipients r where r.notice_due and r.project_id > t.project_id
        order by r.project_id limit 1
      ) n
      where t.turn < ${MAX_PROJECTS}::int
    )
    select t.project_id, d.submission_id
    from turns t left join lateral (
      select l.submission_id from (
        select r.submission_id, r.ended_at from submission_recipients r
        where r.notice_due and r.project_id = t.project_id order by r.submission_id limit ${MAX_ROWS}
      ) l
      group by l.submission_id
      having min(l.ended_at) < ${gathered} or not exists (
        select from submission_recipients w
        where w.project_id = t.project_id and w.submission_id = l.submission_id and w.outcome is null)
      order by l.submission_id limit ${MAX_SUBMISSIONS}
    ) d on true
    order by t.turn, d.submission_id`.execute(database);
  const found = rows.flatMap(({ projectId, submissionId }) =>
    submissionId === null ? [] : [{ projectId, submissionId }],
  );
  const areAll = new Set(rows.map(({ projectId }) => projectId)).size < MAX_PROJECTS;
  const next = areAll ? NIL_UUID : (rows.at(-1)?.projectId ?? NIL_UUID);
  return { due: await readDue(database, found, IS_ENDED), next };
}

/** Finds delayed submissions whose sender must be notified. The oldest submissions of each project come first. */
export async function findDelayed(database: Database): Promise<DueSubmission[]> {
  const { rows } = await SUBMISSION_REF.sql`
    select project_id, submission_id from (
      select project_id, submission_id, row_number() over (partition by project_id order by submission_id) as turn
      from (
        select r.project_id, r.submission_id from submission_recipients r
        where ${WAITS} and r.submission_id < ${firstDelayed()}
        order by r.submission_id limit ${MAX_ROWS}
      ) oldest
      group by project_id, submission_id
    ) turns
    order by turn, submission_id limit ${MAX_PROJECTS * MAX_SUBMISSIONS}`.execute(database);
  return readDue(database, rows, WAITS);
}

/** Condition: notices may be due. True also while outcomes are gathered. */
export function mayHaveDueNotices(): RawBuilder<unknown> {
  return sql`(
    exists (select from submission_recipients r where ${IS_ENDED})
    or exists (select from submission_recipients r where ${WAITS} and r.submission_id < ${firstDelayed()})
  )`;
}

/** Submissions with lower ids are old enough for a delay notice. */
function firstDelayed(): string {
  return firstUuidAt(new Date(clock.nowMs() - TIMINGS.delayMs));
}

/** Conditions on the row `r` of a recipient. Each condition is the predicate of a partial index. */
export const IS_ENDED = sql`r.notice_due`;
export const WAITS = sql`r.outcome is null and r.delay_told_at is null and r.notify & ${sql.lit(NOTIFY.delay)} <> 0`;

const REFS = rowsOf<SubmissionRef & { at: number }>('k', {
  at: ['int4', ({ at }) => at],
  project_id: ['uuid', ({ projectId }) => projectId],
  submission_id: ['uuid', ({ submissionId }) => submissionId],
});

const DUE_RECIPIENT = columnsOf({
  ...SUBMISSION.kinds,
  recipientIndex: 'int2',
  address: 'text',
  originalRecipient: 'text?',
  outcome: shaped<Exclude<NotifiedRecipient['outcome'], 'delayed'> | null>('text?'),
  detail: shaped<NotifiedRecipient['detail']>('json?'),
  endedAt: 'timestamptz?',
  isOtherSandbox: 'bool?',
  scheduledAt: 'timestamptz?',
  waitedUntil: 'timestamptz?',
  isPaused: 'bool',
  resumedAt: 'timestamptz?',
});

async function readDue(
  database: Database,
  refs: readonly SubmissionRef[],
  which: RawBuilder<unknown>,
): Promise<DueSubmission[]> {
  if (refs.length === 0) return [];
  const installation = await readInstallationClock(database);
  const { rows } = await DUE_RECIPIENT.sql`
    select s.project_id, s.id as submission_id, s.mailbox_id, m.local_part, m.domain,
      s.kind = 'submitted' and s.reverse_path is null as is_own,
      s.message_id, s.envelope_id, s.returns, s.digest, s.octets, s.created_at,
      r.recipient_index, r.address, r.original_recipient, r.outcome, r.detail, r.ended_at,
      case when q.is_sandbox <> ${IS_SANDBOX} then q.is_sandbox end as is_other_sandbox, q.scheduled_at, q.waited_until,
      h.domain is not null and h.resumed_at is null as is_paused, h.resumed_at
    from ${REFS.from(refs.map((ref, at) => ({ ...ref, at })))}
    join submissions s on s.project_id = k.project_id and s.id = k.submission_id
    left join mailboxes m on m.project_id = s.project_id and m.id = s.mailbox_id
    cross join lateral (
      select * from submission_recipients r
      where r.project_id = k.project_id and r.submission_id = k.submission_id and ${which}
      order by r.recipient_index limit ${MAX_RECIPIENTS}
    ) r
    left join queue q on r.outcome is null and q.project_id = r.project_id and q.email_id = r.submission_id
      and q.recipient_index = r.recipient_index
    left join destination_holds h on r.outcome is null and h.domain = lower(split_part(r.address, '@', -1))
    order by k.at, r.recipient_index`.execute(database);
  const due = new Map<string, DueSubmission>();
  for (const {
    recipientIndex,
    address,
    originalRecipient,
    outcome,
    detail,
    endedAt,
    isOtherSandbox,
    scheduledAt,
    waitedUntil,
    isPaused,
    resumedAt,
    ...submission
  } of rows) {
    const waiting = {
      emailId: submission.submissionId,
      scheduledAt,
      waitedUntil,
      isPaused,
      resumedAt,
      otherKind: kindOfRow(isOtherSandbox),
    };
    const one = due.get(submission.submissionId) ?? { ...submission, recipients: [] };
    one.recipients.push({
      recipientIndex,
      address,
      originalRecipient,
      outcome: outcome ?? 'delayed',
      detail,
      endedAt,
      retryEnd: outcome === null ? retryEndOf(waiting, installation) : null,
    });
    due.set(submission.submissionId, one);
  }
  return [...due.values()];
}
