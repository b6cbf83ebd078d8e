/** The settings of a project. */
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';
import type { Plan } from '../model/plans.ts';
import type { SpamLevel } from '../model/spam-levels.ts';

export interface ProjectSettings {
  plan: Plan;
  /** For the mailboxes that have no level of their own. */
  defaultSpamLevel: SpamLevel;
  trackOpens: boolean;
  trackClicks: boolean;
}

/** @throws AppError not-found */
export async function readProjectSettings(database: Database, projectId: string): Promise<ProjectSettings> {
  const row = await database
    .selectFrom('projects')
    .select(['plan', 'defaultSpamLevel', 'trackOpens', 'trackClicks'])
    .where('id', '=', projectId)
    .executeTakeFirst();
  if (row === undefined) throw new AppError('not-found', 'There is no such project.');
  return row;
}

/**
 * Changes what is given. A project that has more than its new plan allows keeps it and gets no more. Servers notice a
 * new plan within `KEY_TTL_MS`.
 */
export async function changeProjectSettings(
  database: Database,
  projectId: string,
  changes: Partial<ProjectSettings>,
): Promise<void> {
  await database.updateTable('projects').set(changes).where('id', '=', projectId).execute();
}
