/** Production needs `POSTHORN_PROVIDER`: without it a new installation would accept mail and never send it. */
import { isFirstStart } from '../accounts/projects/projects.ts';
import { columnsOf } from '../db/columns.ts';
import type { Database } from '../db/database.ts';
import type { Config } from './config.ts';
import { providerMissing } from './provider-missing.ts';

const SCHEMA = columnsOf({ isMigrated: 'bool' });

/**
 * Rejects a new installation without a provider before its first start creates anything. An installation that already has a project starts,
 * and accepts mail but sends none, because its users must be able to read their mail (docs/operate/provider.md).
 * @throws StartupError with the exit code for a bad configuration
 */
export async function requireProvider(
  { provider }: Pick<Config, 'provider'>,
  database: Database,
): Promise<void> {
  if (provider === null && (await isNew(database))) throw providerMissing();
}

async function isNew(database: Database): Promise<boolean> {
  return !(await isMigrated(database)) || database.transaction().execute(isFirstStart);
}

/** Whether the database has any tables of this product. */
export async function isMigrated(database: Database): Promise<boolean> {
  const { rows } = await SCHEMA.sql`
    select to_regclass('projects') is not null as is_migrated`.execute(database);
  return rows[0]?.isMigrated === true;
}
