/**
 * Accepts messages that need a check under a lock. The check concerns a limit on the mailbox, a limit in its project's plan, or the space
 * for a copy in Sent. The rows of the mailbox and the project are locked until the commit, so that a transaction's counts stay correct and
 * concurrent messages, even in several processes, never exceed a limit. Other messages use `insert-submissions.ts`.
 */
import { sql } from 'kysely';
import { dayOf, deletedSubmissionsOf } from '../../accounts/usage.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { DAY_MS } from '../../model/day.ts';
import type { SharedSender } from '../../mailboxes/sharing/shared-senders.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import { monthOf, uuidsOfMonth } from '../../model/month.ts';
import { PLAN_LIMITS, PLANS } from '../../model/plans.ts';
import type { NewMessage } from '../../store/append.ts';
import { lockForStoring } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import {
  findByKeys,
  freeFailedKeys,
  insertSubmissions,
  nameOf,
  type NewSubmission,
} from './insert-submissions.ts';

/** Further work in the transaction that writes a message. The work is committed together with the message or not at all. */
export interface SubmissionHandOver {
  /** Called under the locks of the project and the mailbox. False: the message was withdrawn in the meantime, so nothing is written. */
  hold(tx: DatabaseTransaction): Promise<boolean>;
  /** Called when the message is written or was written earlier. @returns a function to call after the commit */
  done(tx: DatabaseTransaction): Promise<() => void>;
}

/** A message that a mailbox sends, and its copy for the Sent folder. */
export interface Accepting {
  submission: NewSubmission;
  copy: NewMessage | null;
  handOver: SubmissionHandOver | null;
  /** The mailbox for which the message is sent, and the right that the message needs. Null: it is sent in the sender's own name. */
  sharedBy: Pick<SharedSender, 'mailboxId' | 'sending'> | null;
}

export type Admission =
  | { outcome: 'accepted' }
  /** The idempotency key of the message belongs to an earlier message. */
  | { outcome: 'replay' }
  /** The sender has withdrawn the message. */
  | { outcome: 'withdrawn' }
  /** The recipients would exceed the limit. `limit` is in recipients per 24 hours. The message can be sent at `freeAt`. */
  | { outcome: 'dailyLimit'; limit: number; freeAt: Date }
  /** This message alone has more recipients than the mailbox may write to in a day. */
  | { outcome: 'overDailyLimit'; limit: number }
  /** The plan's limit is reached. `limit` is in messages per month, for all mailboxes of the project together. */
  | { outcome: 'planLimit'; limit: number; freeAt: Date }
  /** The right to send for another mailbox was revoked or reduced. */
  | { outcome: 'revoked' }
  | { outcome: 'mailboxFull' | 'gone' };

const ACCEPTED: Admission = { outcome: 'accepted' };
const WITHDRAWN: Admission = { outcome: 'withdrawn' };
const REVOKED: Admission = { outcome: 'revoked' };

/** Whether a limit would reject a message now. The result may differ later, when the message is submitted. */
export async function judgeLimits(database: Database, submission: NewSubmission): Promise<Admission> {
  const batch = [{ submission, copy: null, handOver: null, sharedBy: null }];
  const admissions = await database
    .transaction()
    .execute(async (tx) => [admit(submission, await lockAndCount(tx, batch), new Set())]);
  await fillInFreeAt(database, batch, admissions);
  return admissions[0] ?? ACCEPTED;
}

/**
 * Writes the messages of a batch that are within the limits, in one transaction.
 * @returns an admission for each message, in the order of the batch
 */
export async function acceptSubmissions(
  database: Database,
  store: Pick<Store, 'appendIn'>,
  batch: readonly Accepting[],
): Promise<{ admissions: Admission[]; committed(): void }> {
  const written = await database.transaction().execute(async (tx) => {
    const left = await lockAndCount(tx, batch);
    const keyed = batch.flatMap(({ submission: { projectId, key } }) =>
      key === null ? [] : [{ projectId, ...key }],
    );
    const found = await findByKeys(tx, keyed);
    const failed = await freeFailedKeys(
      tx,
      keyed.filter((key) => found.has(nameOf(key))),
    );
    for (const name of failed) found.delete(name);
    const usedKeys = new Set(found.keys());
    const revoked = await lockShared(tx, batch);
    const admissions: Admission[] = [];
    for (const one of batch) {
      const { submission, handOver } = one;
      const isHeld = handOver === null || (await handOver.hold(tx));
      admissions.push(revoked.has(one) ? REVOKED : isHeld ? admit(submission, left, usedKeys) : WITHDRAWN);
    }
    const copies = batch.flatMap(({ copy }, at) =>
      copy !== null && admissions[at] === ACCEPTED ? [{ copy, at }] : [],
    );
    const { results, committed } = await store.appendIn(
      tx,
      copies.map(({ copy }) => copy),
    );
    for (const [n, { at }] of copies.entries())
      if (results[n]?.outcome !== 'stored') admissions[at] = { outcome: 'mailboxFull' };
    const accepted = batch.flatMap(({ submission }, at) =>
      admissions[at] === ACCEPTED ? [{ submission, at }] : [],
    );
    const areWritten = await insertSubmissions(
      tx,
      accepted.map(({ submission }) => submission),
    );
    // If the limit has just been set, an earlier message may have claimed the same key without the lock.
    for (const [n, { at }] of accepted.entries())
      if (areWritten[n] !== true) admissions[at] = { outcome: 'replay' };
    const alsoCommitted = [committed];
    for (const [at, { handOver }] of batch.entries())
      if (handOver !== null && ['accepted', 'replay'].includes(admissions[at]?.outcome ?? ''))
        alsoCommitted.push(await handOver.done(tx));
    return {
      admissions,
      committed: () => {
        for (const one of alsoCommitted) one();
      },
    };
  });
  // The accepted messages are committed, so an error here must not fail the call. After an error, `freeAt` stays a day from now: by then
  // the whole limit is free again.
  await fillInFreeAt(database, batch, written.admissions).catch(() => {});
  return written;
}

const GRANTS = rowsOf<{
  submission: NewSubmission;
  sharedBy: NonNullable<Accepting['sharedBy']>;
  at: number;
}>('k', {
  at: ['int4', ({ at }) => at],
  project_id: ['uuid', ({ submission }) => submission.projectId],
  member_id: ['uuid', ({ submission }) => submission.mailboxId],
  mailbox_id: ['uuid', ({ sharedBy }) => sharedBy.mailboxId],
  sending: ['text', ({ sharedBy }) => sharedBy.sending],
});

const GRANTED = columnsOf({ at: 'int4' });

/**
 * Locks the mailboxes of messages that are sent for other mailboxes, because a hand-over locks the sender's and the copy locks the other:
 * two members who send for each other would deadlock.
 * @returns the messages whose right was revoked or reduced since it was cached
 */
async function lockShared(
  tx: DatabaseTransaction,
  batch: readonly Accepting[],
): Promise<ReadonlySet<Accepting>> {
  const shared = batch.flatMap((one, at) => {
    const { submission, sharedBy } = one;
    return sharedBy === null ? [] : [{ one, submission, sharedBy, at }];
  });
  if (shared.length === 0) return new Set();
  await lockForStoring(tx, [
    ...batch.map(({ submission }) => submission),
    ...batch.flatMap(({ copy }) => (copy === null ? [] : [copy])),
  ]);
  const { rows } = await GRANTED.sql`
    select k.at from ${GRANTS.from(shared)} join mailbox_grants g
      on g.project_id = k.project_id and g.mailbox_id = k.mailbox_id and g.member_id = k.member_id
      and g.sending in ('as', k.sending)`.execute(tx);
  const granted = new Set(rows.map(({ at }) => at));
  return new Set(shared.flatMap(({ one, at }) => (granted.has(at) ? [] : [one])));
}

/** A limit, and its unused part. */
interface SendingLimit {
  limit: number;
  left: number;
}

interface Left {
  /** The limit on recipients, by mailbox. Null: no limit. Deleted mailboxes are not in the map. */
  ofDay: Map<string, SendingLimit | null>;
  /** The limit on messages, by project and month. Projects without a limit are not in the map. */
  ofMonth: Map<string, SendingLimit>;
}

function mailboxOf({ projectId, mailboxId }: NewSubmission): string {
  return `${projectId} ${mailboxId}`;
}

/** The month of a message is the month in its id, as for emails. */
function monthKey({ projectId, submissionId }: NewSubmission): string {
  return `${projectId} ${monthOf(timeOf(submissionId)).start.toISOString()}`;
}

const MAILBOXES = rowsOf<NewSubmission>('k', {
  project_id: ['uuid', ({ projectId }) => projectId],
  id: ['uuid', ({ mailboxId }) => mailboxId],
});

const DAYS = rowsOf<{ submission: NewSubmission; limit: number }>('d', {
  project_id: ['uuid', ({ submission }) => submission.projectId],
  mailbox_id: ['uuid', ({ submission }) => submission.mailboxId],
  since: ['uuid', ({ submission }) => dayBefore(submission)],
  most: ['int4', ({ limit }) => limit],
});

const MONTHS = rowsOf<{ submission: NewSubmission; limit: number; at: number }>('m', {
  at: ['int4', ({ at }) => at],
  project_id: ['uuid', ({ submission }) => submission.projectId],
  first: ['uuid', ({ submission }) => uuidsOfMonth(monthOf(timeOf(submission.submissionId))).first],
  after: ['uuid', ({ submission }) => uuidsOfMonth(monthOf(timeOf(submission.submissionId))).end],
  month: ['date', ({ submission }) => dayOf(monthOf(timeOf(submission.submissionId)))],
  most: ['int4', ({ limit }) => limit],
});

/** The first UUID of the last 24 hours. Submissions with this id or a later id count towards the daily limit. */
function dayBefore({ submissionId }: NewSubmission): string {
  return firstUuidAt(new Date(timeOf(submissionId).getTime() - DAY_MS));
}

const LOCKED_MAILBOX = columnsOf({ projectId: 'uuid', id: 'uuid', dailySendLimit: 'int4?' });
const USED_IN_DAY = columnsOf({ projectId: 'uuid', mailboxId: 'uuid', limit: 'int4', used: 'int4' });

/** Locks projects before mailboxes, and each kind in the order of its keys, so that two transactions never deadlock. */
async function lockAndCount(tx: DatabaseTransaction, batch: readonly Accepting[]): Promise<Left> {
  const submissions = batch.map(({ submission }) => submission);
  const monthly = await lockProjects(tx, submissions);
  const { rows: mailboxes } = await LOCKED_MAILBOX.sql`
    select m.project_id, m.id, m.daily_send_limit from mailboxes m
    where (m.project_id, m.id) in (select k.project_id, k.id from ${MAILBOXES.from(submissions)})
    order by m.project_id, m.id for no key update`.execute(tx);
  const limitOf = new Map(
    mailboxes.map(({ projectId, id, dailySendLimit }) => [`${projectId} ${id}`, dailySendLimit]),
  );
  const byMailbox = new Map(submissions.map((submission) => [mailboxOf(submission), submission]));
  const daily = [...byMailbox].flatMap(([key, submission]) => {
    const limit = limitOf.get(key) ?? null;
    return limit === null ? [] : [{ submission, limit }];
  });
  // Separate statements, so that they find rows that were committed while this transaction waited for the locks.
  const ofDay = new Map<string, SendingLimit | null>([...limitOf.keys()].map((key) => [key, null]));
  if (daily.length > 0) {
    const { rows } = await USED_IN_DAY.sql`
      select d.project_id, d.mailbox_id, d.most as limit, coalesce(sum(s.recipients), 0)::int as used
      from ${DAYS.from(daily)} left join lateral (
        -- Each submission has at least one recipient, so more rows than the limit are not needed.
        select s.recipients from submissions s
        where s.project_id = d.project_id and s.mailbox_id = d.mailbox_id and s.id >= d.since and s.kind = 'submitted'
        order by s.id desc limit d.most
      ) s on true
      group by 1, 2, 3`.execute(tx);
    for (const { projectId, mailboxId, limit, used } of rows)
      ofDay.set(`${projectId} ${mailboxId}`, { limit, left: limit - used });
  }
  return { ofDay, ofMonth: await countMonths(tx, submissions, monthly) };
}

/** @returns the current limits of the plans in messages per month, by project */
async function lockProjects(
  tx: DatabaseTransaction,
  submissions: readonly NewSubmission[],
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('projects')
    .select(['id', 'plan'])
    .where('id', 'in', [...new Set(submissions.map(({ projectId }) => projectId))])
    .where('plan', 'in', LIMITED_PLANS)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(
    rows.flatMap(({ id, plan }) => {
      const limit = PLAN_LIMITS[plan].mailboxEmailsPerMonth;
      return limit === null ? [] : [[id, limit]];
    }),
  );
}

/** Includes plans that limit storage, because storing a copy in Sent locks projects with such a plan too. */
const LIMITED_PLANS = PLANS.filter((plan) => {
  const { mailboxEmailsPerMonth, storageBytes } = PLAN_LIMITS[plan];
  return mailboxEmailsPerMonth !== null || storageBytes !== null;
});

const USED_IN_MONTH = columnsOf({ used: 'int4' });

async function countMonths(
  tx: DatabaseTransaction,
  submissions: readonly NewSubmission[],
  limits: ReadonlyMap<string, number>,
): Promise<Map<string, SendingLimit>> {
  const months = [...new Map(submissions.map((submission) => [monthKey(submission), submission]))].flatMap(
    ([key, submission]) => {
      const limit = limits.get(submission.projectId);
      return limit === undefined ? [] : [{ key, submission, limit }];
    },
  );
  if (months.length === 0) return new Map();
  const { rows } = await USED_IN_MONTH.sql`
    select (
      select count(*)::int from (
        select from submissions s where s.project_id = m.project_id and s.id >= m.first and s.id < m.after and s.kind = 'submitted' limit m.most
      ) s
    ) + ${deletedSubmissionsOf(sql`m.project_id`, sql`m.month`)}::int as used
    from ${MONTHS.from(months.map((month, at) => ({ ...month, at })))} order by m.at`.execute(tx);
  return new Map(months.map(({ key, limit }, at) => [key, { limit, left: limit - (rows[at]?.used ?? 0) }]));
}

/** Claims both the idempotency key and the message's share of the limits, or neither. */
function admit(submission: NewSubmission, { ofDay, ofMonth }: Left, usedKeys: Set<string>): Admission {
  const { projectId, key, recipients, submissionId } = submission;
  const name = key === null ? null : nameOf({ projectId, ...key });
  if (name !== null && usedKeys.has(name)) return { outcome: 'replay' };
  const day = ofDay.get(mailboxOf(submission));
  if (day === undefined) return { outcome: 'gone' };
  const month = ofMonth.get(monthKey(submission));
  if (month !== undefined && month.left < 1)
    return { outcome: 'planLimit', limit: month.limit, freeAt: monthOf(timeOf(submissionId)).end };
  if (day !== null && recipients.length > day.limit) return { outcome: 'overDailyLimit', limit: day.limit };
  if (day !== null && recipients.length > day.left)
    // `fillInFreeAt` replaces `freeAt` after the rest of the batch is written.
    return {
      outcome: 'dailyLimit',
      limit: day.limit,
      freeAt: new Date(timeOf(submissionId).getTime() + DAY_MS),
    };
  if (month !== undefined) month.left -= 1;
  if (day !== null) day.left -= recipients.length;
  if (name !== null) usedKeys.add(name);
  return ACCEPTED;
}

const OVER = rowsOf<{ submission: NewSubmission; limit: number; at: number }>('o', {
  at: ['int4', ({ at }) => at],
  project_id: ['uuid', ({ submission }) => submission.projectId],
  mailbox_id: ['uuid', ({ submission }) => submission.mailboxId],
  since: ['uuid', ({ submission }) => dayBefore(submission)],
  need: ['int4', ({ submission }) => submission.recipients.length],
  most: ['int4', ({ limit }) => limit],
});

const FREE_AGAIN = columnsOf({ at: 'int4', id: 'text' });

/**
 * Fills in `freeAt` for messages over the daily limit: the time when enough of the mailbox's recipients are a day old. A mailbox's
 * submissions from the last day are read once for all its messages and while no lock is held, because a client over the limit may attack by
 * retrying endlessly.
 */
async function fillInFreeAt(
  database: Database,
  batch: readonly Accepting[],
  admissions: Admission[],
): Promise<void> {
  const over = admissions.flatMap((admission, at) =>
    admission.outcome === 'dailyLimit'
      ? [{ admission, at, limit: admission.limit, submission: (batch[at] as Accepting).submission }]
      : [],
  );
  if (over.length === 0) return;
  const needOf = ({ submission }: (typeof over)[number]): string =>
    `${mailboxOf(submission)} ${submission.recipients.length}`;
  const firsts = new Map(over.map((one) => [needOf(one), one]));
  const { rows } = await FREE_AGAIN.sql`
    with o as materialized (select * from ${OVER.from([...firsts.values()])}), day as materialized (
      select s.*, sum(s.recipients) over (partition by s.project_id, s.mailbox_id order by s.id) as gone,
        sum(s.recipients) over (partition by s.project_id, s.mailbox_id) as used
      from (select project_id, mailbox_id, min(since::text)::uuid as since from o group by 1, 2) m
      cross join lateral (
        select s.project_id, s.mailbox_id, s.id, s.recipients from submissions s
        where s.project_id = m.project_id and s.mailbox_id = m.mailbox_id and s.id >= m.since and s.kind = 'submitted'
      ) s
    )
    select o.at, min(d.id::text) as id from o join day d on d.project_id = o.project_id and d.mailbox_id = o.mailbox_id
      -- Only the first submission whose expiry frees enough of the limit.
      and d.gone >= d.used + o.need - o.most and d.gone - d.recipients < d.used + o.need - o.most
    group by o.at`.execute(database);
  const found = new Map(rows.map(({ at, id }) => [at, id]));
  for (const one of over) {
    const id = found.get(firsts.get(needOf(one))?.at ?? -1) ?? one.submission.submissionId;
    admissions[one.at] = { ...one.admission, freeAt: new Date(timeOf(id).getTime() + DAY_MS) };
  }
}
