/** What is tracked of the mail from one domain of a project. */
import type { Database } from '../db/database.ts';
import { AppError } from '../model/app-error.ts';

export interface DomainTracking {
  /** Null: the setting of the project counts; so with `trackClicks`. */
  trackOpens: boolean | null;
  trackClicks: boolean | null;
}

/**
 * Changes what is given, and returns what holds then. Servers notice within `SENDING_DOMAIN_TTL_MS`.
 * @param name A-labels, lower case
 * @throws AppError not-found: not a domain of the project; the hosted domain goes by the settings of each project
 */
export async function changeDomainTracking(
  database: Database,
  projectId: string,
  name: string,
  changes: Partial<DomainTracking>,
): Promise<DomainTracking> {
  const changed = await database
    .updateTable('domains')
    .set(changes)
    .where('projectId', '=', projectId)
    .where('name', '=', name)
    .returning(['trackOpens', 'trackClicks'])
    .executeTakeFirst();
  if (changed === undefined) throw new AppError('not-found', `The project has no domain ${name} of its own.`);
  return changed;
}
