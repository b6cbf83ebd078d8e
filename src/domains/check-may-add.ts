import type { Database, DatabaseTransaction } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import { PLAN_LIMITS, type Plan } from '../model/plans.ts';

/**
 * Checks that the project may add a domain of this name. Without a lock on the project's row, the result may be outdated.
 * @throws AppError already-exists, plan-limit-exceeded
 */
export async function checkMayAdd(
  database: Database | DatabaseTransaction,
  projectId: string,
  plan: Plan,
  name: string,
): Promise<void> {
  const rows = await database
    .selectFrom('domains')
    .select('name')
    .where('projectId', '=', projectId)
    .execute();
  if (rows.some((row) => row.name === name)) {
    throw new AppError('already-exists', `This project already has the domain ${name}.`, {
      errors: { domain: 'is already a domain of this project' },
    });
  }
  const limit = PLAN_LIMITS[plan].ownDomains;
  if (limit !== null && rows.length >= limit) {
    throw new AppError(
      'plan-limit-exceeded',
      `The plan ${plan} allows ${limit} ${limit === 1 ? 'domain' : 'domains'} of your own. Remove a domain, or change the plan.`,
      {
        errors: {
          domain: `the project has ${rows.length} of ${limit} ${limit === 1 ? 'domain' : 'domains'}; remove one or change the plan`,
        },
      },
    );
  }
}
