import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { sql } from 'kysely';
import { emptyDatabase, SECRET } from '../../test/support/postgres.ts';
import { ensureOrganization } from '../accounts/organizations/organizations.ts';
import { createProject, FIRST_PROJECT } from '../accounts/projects/projects.ts';
import type { Database } from '../db/database.ts';
import { BAD_CONFIGURATION, StartupError } from '../model/startup-error.ts';
import { migrate } from '../db/migrate.ts';
import { prepare } from './app.ts';
import { readConfig } from './config.ts';
import { requireProvider } from './provider-required.ts';

const PRODUCTION = { POSTHORN_ENV: 'production', POSTHORN_LOG_LEVEL: 'error' };

const isRejected = (error: unknown) =>
  error instanceof StartupError &&
  error.exitCode === BAD_CONFIGURATION &&
  /^POSTHORN_PROVIDER is not set.*direct.*smtp.*ses.*sandbox/.test(error.message);

async function tables(database: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_tables where schemaname = current_schema()`.execute(database);
  return rows[0]?.count ?? 0;
}

suite('production without a provider', () => {
  test('rejects a database without tables and creates no tables', async () => {
    await using db = await emptyDatabase();
    const env = { ...PRODUCTION, POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET };
    await assert.rejects(prepare(db.url, SECRET, readConfig(env)), isRejected);
    assert.equal(await tables(db.database), 0);
    await prepare(db.url, SECRET, readConfig({ ...env, POSTHORN_PROVIDER: 'sandbox' }));
    await prepare(db.url, SECRET, readConfig(env));
  });

  test('rejects a database that was migrated but never started', async () => {
    await using db = await emptyDatabase();
    await migrate(db.url);
    const config = { provider: null };
    await assert.rejects(requireProvider(config, db.database), isRejected);
    await db.database.transaction().execute(async (tx) => {
      await createProject(tx, await ensureOrganization(tx), FIRST_PROJECT, 'paid');
    });
    await requireProvider(config, db.database);
  });
});
