/**
 * Accepts emails from projects whose plan has limits. The row of the project is locked until the commit, so that a transaction's counts
 * stay correct and concurrent requests, even in several processes, never exceed a limit. Projects with unlimited plans use
 * `insert-emails.ts`, which needs no lock and no count.
 */
import { sql } from 'kysely';
import { dayOf, deletedOf, storageOf } from '../../accounts/usage.ts';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowsOf } from '../../db/rows.ts';
import { timeOf } from '../../model/ids.ts';
import { monthOf, uuidsOfMonth } from '../../model/month.ts';
import { PLAN_LIMITS, type PlanLimits } from '../../model/plans.ts';
import { claimKeys, findUsedKeys, insertRows, type NewEmail, storedBytes } from './insert-emails.ts';

export type InsertOutcome = 'accepted' | 'key-taken' | 'over-quota' | 'over-storage';

/** The unused part of each limit. Projects without a limit are not in the maps. */
interface Left {
  /** The number of emails, by project and month (`monthKey`). */
  emails: Map<string, number>;
  /** The number of bytes of storage, by project. */
  storage: Map<string, number>;
}

/**
 * Writes the emails of a batch that are within the limits, in one transaction. Used idempotency keys are checked before the limits, and an
 * email over a limit does not claim its key.
 * @returns an outcome for each email
 */
export async function insertWithinLimits(
  database: Database,
  batch: readonly NewEmail[],
): Promise<InsertOutcome[]> {
  return database.transaction().execute(async (tx) => {
    const outcomes = await admitEmails(tx, batch);
    const admitted = batch.filter((_, at) => outcomes[at] === 'accepted');
    // If the plan has just changed, an earlier request may have claimed the same key without the lock of the project.
    const lost = await claimKeys(tx, admitted);
    const accepted = admitted.filter(({ emailId }) => !lost.has(emailId));
    if (accepted.length > 0) await insertRows(tx, accepted);
    return batch.map(({ emailId }, at) =>
      lost.has(emailId) ? 'key-taken' : (outcomes[at] as InsertOutcome),
    );
  });
}

/**
 * Locks the projects until the transaction ends, and decides which emails are within the limits.
 * @returns an outcome for each email; accepted emails count towards the limits of later emails
 */
export async function admitEmails(
  tx: DatabaseTransaction,
  batch: readonly NewEmail[],
): Promise<InsertOutcome[]> {
  const limits = await lockProjects(tx, batch);
  // A separate statement, so that it finds rows that were committed while this transaction waited for the locks.
  const left = await findLeft(tx, batch, limits);
  const usedKeys = await findUsedKeys(tx, batch);
  return batch.map((email) => admit(email, left, usedKeys));
}

/** Locks the projects and reads the current limits of their plans. A plan may have changed since the request arrived. */
async function lockProjects(
  tx: DatabaseTransaction,
  batch: readonly NewEmail[],
): Promise<Map<string, Readonly<PlanLimits>>> {
  const rows = await tx
    .selectFrom('projects')
    .select(['id', 'plan'])
    .where(
      'id',
      '=',
      sql<string>`any(${uuidArray([...new Set(batch.map((email) => email.projectId))])}::uuid[])`,
    )
    // Locked in the order of ids, so that two transactions never deadlock.
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(rows.map(({ id, plan }) => [id, PLAN_LIMITS[plan]]));
}

/** The month of a new email is the month in its own id. So a clock that is ahead or behind cannot make a month exceed its quota. */
function monthKey({ projectId, emailId }: NewEmail): string {
  return `${projectId} ${monthOf(timeOf(emailId)).start.toISOString()}`;
}

interface LimitedMonth {
  projectId: string;
  /** The ids of the month begin at `first` and end before `end`. */
  first: string;
  end: string;
  day: string;
  emails: number | null;
  n: number;
}

const MONTHS = rowsOf<LimitedMonth>('m', {
  project_id: ['uuid', (month) => month.projectId],
  first: ['uuid', (month) => month.first],
  after: ['uuid', (month) => month.end],
  month: ['date', ({ day }) => day],
  most: ['int4', (month) => month.emails ?? 0],
  n: ['int4', (month) => month.n],
});

const USED = columnsOf({ emails: 'int4', storage: 'float8' });

async function findLeft(
  tx: DatabaseTransaction,
  batch: readonly NewEmail[],
  limits: ReadonlyMap<string, Readonly<PlanLimits>>,
): Promise<Left> {
  const months = [...new Map(batch.map((email) => [monthKey(email), email]))].map(([key, email]) => {
    const month = monthOf(timeOf(email.emailId));
    return {
      key,
      projectId: email.projectId,
      ...uuidsOfMonth(month),
      day: dayOf(month),
      emails: limits.get(email.projectId)?.apiEmailsPerMonth ?? null,
      storage: limits.get(email.projectId)?.storageBytes ?? null,
    };
  });
  const limited = months
    .filter((month) => month.emails !== null || month.storage !== null)
    .map((month, n) => ({ ...month, n }));
  const left: Left = { emails: new Map(), storage: new Map() };
  if (limited.length === 0) return left;
  const { rows } = await USED.sql`
    select (
        -- Counts only up to the limit: a project that had another plan may have millions.
        select count(*)::int from (
          select from emails e where e.project_id = m.project_id and e.id >= m.first and e.id < m.after limit m.most
        ) e
      ) + ${deletedOf(sql`m.project_id`, sql`m.month`)}::int as emails, ${storageOf(sql`m.project_id`)} as storage
    from ${MONTHS.from(limited)}
    order by m.n`.execute(tx);
  for (const [at, { key, projectId, emails, storage }] of limited.entries()) {
    const used = rows[at] as RowOf<typeof USED>;
    if (emails !== null) left.emails.set(key, emails - used.emails);
    if (storage !== null) left.storage.set(projectId, storage - used.storage);
  }
  return left;
}

/** Claims both the idempotency key and the email's share of the limits, or neither. */
function admit(email: NewEmail, left: Left, usedKeys: Set<string>): InsertOutcome {
  const key = email.idempotency === null ? null : `${email.projectId} ${email.idempotency.key}`;
  if (key !== null && usedKeys.has(key)) return 'key-taken';
  const bytes = storedBytes(email);
  const storage = left.storage.get(email.projectId) ?? Number.POSITIVE_INFINITY;
  // Storage is checked before the quota, because the quota error suggests waiting for the next month, and waiting would not free storage.
  if (bytes > storage) return 'over-storage';
  const month = monthKey(email);
  const emails = left.emails.get(month) ?? Number.POSITIVE_INFINITY;
  if (emails < 1) return 'over-quota';
  left.storage.set(email.projectId, storage - bytes);
  left.emails.set(month, emails - 1);
  if (key !== null) usedKeys.add(key);
  return 'accepted';
}
