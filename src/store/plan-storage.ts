/** The free storage under project plans. */
import { type RawBuilder, sql } from 'kysely';
import { storageOf } from '../accounts/usage.ts';
import { uuidArray } from '../db/arrays.ts';
import { columnsOf } from '../db/columns.ts';
import { type Cte, cte } from '../db/cte.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { type Plan, PLAN_LIMITS, PLANS } from '../model/plans.ts';

const LIMITED_PLANS = PLANS.filter((plan) => PLAN_LIMITS[plan].storageBytes !== null);

/** SQL for the free storage under a project's plan, in bytes. Null if the plan has no limit. The value may be negative. */
export function storageLeftOf(projectId: RawBuilder<string>): RawBuilder<number | null> {
  const limits = LIMITED_PLANS.map(
    (plan) =>
      sql`when ${sql.lit(plan)} then ${sql.lit(PLAN_LIMITS[plan].storageBytes)}::float8 - ${storageOf(projectId)}`,
  );
  return sql`(select case p.plan ${sql.join(limits, sql` `)} end from projects p where p.id = ${projectId})`;
}

/** Projects whose plan limits storage. */
export type LimitedProjects = [projectId: string, plan: Plan][];

/**
 * The CTE that locks projects whose plan limits storage, so that no other transaction adds to the counted storage, and its columns `id` and
 * `plan`. Projects must be locked before mailboxes.
 */
export function lockingLimited(projectIds: ReadonlySet<string>): Cte {
  return cte(
    'limited',
    sql`select id, plan from projects
      where id = any (${uuidArray([...projectIds])}::uuid[]) and plan in (${sql.join(LIMITED_PLANS.map((plan) => sql.lit(plan)))})
      order by id for no key update`,
  );
}

/** @returns the limit of each project, in bytes */
export function limitsOf(limited: LimitedProjects): Map<string, number> {
  return new Map(
    limited.map(([id, plan]) => [id, PLAN_LIMITS[plan].storageBytes ?? Number.POSITIVE_INFINITY]),
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
