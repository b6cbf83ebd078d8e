import { textArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { HOSTED_PROJECT_ID } from '../../domains/hosted.ts';

/**
 * Returns those names that are domains of this installation: hosted, or verified by a project. Attack: a project claims the domain of a spammer
 * without verifying it, so that no list is asked about it.
 */
export async function domainsOfInstallation(database: Database, names: readonly string[]): Promise<string[]> {
  const { rows } = await columnsOf({ name: 'text' }).sql`
    select distinct name from domains where name = any(${textArray(names)}::text[])
      and (project_id = ${HOSTED_PROJECT_ID}::uuid or status in ('verified', 'warning'))`.execute(database);
  return rows.map(({ name }) => name);
}
