/**
 * Accepting where something has to be looked at under a lock: a limit of the mailbox or of its project's plan, or room for a copy in Sent.
 * The rows of both are locked until the commit, so that nobody adds to what one transaction counts: however many messages come at once,
 * in however many processes, no more are accepted than fit. Other mailboxes never come here (`insert-submissions.ts`).
 */
import { sql } from 'kysely';
import { dayOf, deletedSubmissionsOf } from '../../accounts/usage.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { DAY_MS } from '../../model/day.ts';
import { firstUuidAt, timeOf } from '../../model/ids.ts';
import { monthOf, uuidsOfMonth } from '../../model/month.ts';
import { PLAN_LIMITS, PLANS } from '../../model/plans.ts';
import type { NewMessage } from '../../store/append.ts';
import type { Store } from '../../store/store.ts';
import {
  findByKeys,
  freeFailedKeys,
  insertSubmissions,
  nameOf,
  type NewSubmission,
} from './insert-submissions.ts';

/** What else is to happen in the transaction that writes a message: with it, or not at all. */
export interface SubmissionHandOver {
  /** Under the locks of the project and the mailbox. False: it was taken back meanwhile, and nothing is written. */
  hold(tx: DatabaseTransaction): Promise<boolean>;
  /** Once it is written, or is known to have been before. @returns what is to be called after the commit */
  done(tx: DatabaseTransaction): Promise<() => void>;
}

/** Mail that a mailbox sends, and the copy of it for its Sent folder. */
export interface Accepting {
  submission: NewSubmission;
  copy: NewMessage | null;
  handOver: SubmissionHandOver | null;
}

export type Admission =
  | { outcome: 'accepted' }
  /** Its key belongs to an earlier one. */
  | { outcome: 'replay' }
  /** Whoever hands it over has taken it back. */
  | { outcome: 'withdrawn' }
  /** So many recipients more would be above it. `limit` is of recipients in 24 hours, and `freeAt` when there is room. */
  | { outcome: 'dailyLimit'; limit: number; freeAt: Date }
  /** It has more recipients than the mailbox may write to in a day. */
  | { outcome: 'overDailyLimit'; limit: number }
  /** `limit` is of messages in a month of all mailboxes of the project. */
  | { outcome: 'planLimit'; limit: number; freeAt: Date }
  | { outcome: 'mailboxFull' | 'gone' };

const ACCEPTED: Admission = { outcome: 'accepted' };
const WITHDRAWN: Admission = { outcome: 'withdrawn' };

/** Whether a limit would keep a message out at the moment. It may be another answer when it is handed in. */
export async function judgeLimits(database: Database, submission: NewSubmission): Promise<Admission> {
  const batch = [{ submission, copy: null, handOver: null }];
  const admissions = await database
    .transaction()
    .execute(async (tx) => [admit(submission, await lockAndCount(tx, batch), new Set())]);
  await tellFreeAgain(database, batch, admissions);
  return admissions[0] ?? ACCEPTED;
}

/** Writes as much of a batch as fits, in one transaction. @returns one for each, in order */
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
    const taken = new Set(found.keys());
    const admissions: Admission[] = [];
    for (const { submission, handOver } of batch)
      admissions.push(
        handOver === null || (await handOver.hold(tx)) ? admit(submission, left, taken) : WITHDRAWN,
      );
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
    // The limit may have come a moment ago: a twin that was accepted without the lock has the key.
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
  // The others are committed, so nothing may fail any more: without an answer it is free in a day, when all is.
  await tellFreeAgain(database, batch, written.admissions).catch(() => {});
  return written;
}

/** What is left of a limit, and what it is. */
interface SendingLimit {
  limit: number;
  left: number;
}

interface Left {
  /** Recipients, by mailbox; null: it has no limit. A mailbox that is gone is not in it. */
  ofDay: Map<string, SendingLimit | null>;
  /** Messages, by project and month. One without a limit is not in it. */
  ofMonth: Map<string, SendingLimit>;
}

function mailboxOf({ projectId, mailboxId }: NewSubmission): string {
  return `${projectId} ${mailboxId}`;
}

/** As with emails, a month's are those with an id of the month. */
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

/** What is younger counts. */
function dayBefore({ submissionId }: NewSubmission): string {
  return firstUuidAt(new Date(timeOf(submissionId).getTime() - DAY_MS));
}

const LOCKED_MAILBOX = columnsOf({ projectId: 'uuid', id: 'uuid', dailySendLimit: 'int4?' });
const USED_IN_DAY = columnsOf({ projectId: 'uuid', mailboxId: 'uuid', limit: 'int4', used: 'int4' });

/** Projects before mailboxes, and each in the order of their keys: so no two transactions wait for each other in a circle. */
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
  // Statements of their own: they have to see what was committed while the locks were waited for.
  const ofDay = new Map<string, SendingLimit | null>([...limitOf.keys()].map((key) => [key, null]));
  if (daily.length > 0) {
    const { rows } = await USED_IN_DAY.sql`
      select d.project_id, d.mailbox_id, d.most as limit, coalesce(sum(s.recipients), 0)::int as used
      from ${DAYS.from(daily)} left join lateral (
        -- Each has a recipient at least, so no more of them matter.
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

/** @returns the limits of the plans as they are now: messages a month, by project */
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

/** With those that limit storage: a copy for Sent locks them too. */
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

/** Takes the key and what the message needs of the limits, or nothing. */
function admit(submission: NewSubmission, { ofDay, ofMonth }: Left, taken: Set<string>): Admission {
  const { projectId, key, recipients, submissionId } = submission;
  const name = key === null ? null : nameOf({ projectId, ...key });
  if (name !== null && taken.has(name)) return { outcome: 'replay' };
  const day = ofDay.get(mailboxOf(submission));
  if (day === undefined) return { outcome: 'gone' };
  const month = ofMonth.get(monthKey(submission));
  if (month !== undefined && month.left < 1)
    return { outcome: 'planLimit', limit: month.limit, freeAt: monthOf(timeOf(submissionId)).end };
  if (day !== null && recipients.length > day.limit) return { outcome: 'overDailyLimit', limit: day.limit };
  if (day !== null && recipients.length > day.left)
    // Found out once it is known what else is written.
    return {
      outcome: 'dailyLimit',
      limit: day.limit,
      freeAt: new Date(timeOf(submissionId).getTime() + DAY_MS),
    };
  if (month !== undefined) month.left -= 1;
  if (day !== null) day.left -= recipients.length;
  if (name !== null) taken.add(name);
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
 * Fills in when so many of a mailbox's recipients are a day old that those of each message fit. Attack: whoever is over the limit comes
 * again and again. So the day of a mailbox is read once for all its messages, and while nobody waits for a lock.
 */
async function tellFreeAgain(
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
      -- The first that makes room, alone.
      and d.gone >= d.used + o.need - o.most and d.gone - d.recipients < d.used + o.need - o.most
    group by o.at`.execute(database);
  const found = new Map(rows.map(({ at, id }) => [at, id]));
  for (const one of over) {
    const id = found.get(firsts.get(needOf(one))?.at ?? -1) ?? one.submission.submissionId;
    admissions[one.at] = { ...one.admission, freeAt: new Date(timeOf(id).getTime() + DAY_MS) };
  }
}
