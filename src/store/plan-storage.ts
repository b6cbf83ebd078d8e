/** The free storage under project plans. */
import { type RawBuilder, sql } from 'kysely';
import { storageOf } from '../accounts/usage.ts';
import { columnsOf } from '../db/columns.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { PLAN_LIMITS, PLANS } from '../model/plans.ts';

const LIMITED_PLANS = PLANS.filter((plan) => PLAN_LIMITS[plan].storageBytes !== null);

/** SQL for the free storage under a project's plan, in bytes. Null if the plan has no limit. The value may be negative. */
export function storageLeftOf(projectId: RawBuilder<string>): RawBuilder<number | null> {
  const limits = LIMITED_PLANS.map(
    (plan) =>
      sql`when ${sql.lit(plan)} then ${sql.lit(PLAN_LIMITS[plan].storageBytes)}::float8 - ${storageOf(projectId)}`,
  );
  return sql`(select case p.plan ${sql.join(limits, sql` `)} end from projects p where p.id = ${projectId})`;
}

/**
 * Locks projects whose plan limits storage, so that no other transaction adds to the counted storage. Must be called before mailboxes are
 * locked.
 * @returns the limit of each project, in bytes
 */
export async function lockLimitedProjects(
  tx: DatabaseTransaction,
  projectIds: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('projects')
    .select(['id', 'plan'])
    .where('id', 'in', [...projectIds].sort())
    .where('plan', 'in', LIMITED_PLANS)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return new Map(
    rows.map(({ id, plan }) => [id, PLAN_LIMITS[plan].storageBytes ?? Number.POSITIVE_INFINITY]),
  );
}

const USED = columnsOf({ used: 'float8' });

/** @returns free bytes by project; projects without a limit are missing */
export async function readStorageLeft(
  tx: DatabaseTransaction,
  limits: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const left = new Map<string, number>();
  for (const [projectId, limit] of limits) {
    const { rows } = await USED.sql`
      select ${storageOf(sql`${projectId}::uuid`)} as used`.execute(tx);
    left.set(projectId, limit - (rows[0]?.used ?? 0));
  }
  return left;
}
