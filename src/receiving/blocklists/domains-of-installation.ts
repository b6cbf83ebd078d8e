import { textArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { wasEverVerified } from '../../domains/first-verified.ts';

/**
 * Returns those names that are domains of this installation: hosted, or ever verified by a project. Attack: a project claims the domain of a spammer
 * without verifying it, so that no list is asked about it.
 */
export async function domainsOfInstallation(database: Database, names: readonly string[]): Promise<string[]> {
  const { rows } = await columnsOf({ name: 'text' }).sql`
    select distinct name from domains d where name = any(${textArray(names)}::text[])
      and ${wasEverVerified(true)}`.execute(database);
  return rows.map(({ name }) => name);
}
