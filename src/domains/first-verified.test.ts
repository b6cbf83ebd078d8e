import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { readMigrations } from '../db/migration-files.ts';
import { splitStatements } from '../db/migration-files.ts';
import { noteVerified, wasEverVerified } from './first-verified.ts';
import { verifyManually } from './verify-manually.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function isEver(id: string, trustsManualVerification = false): Promise<boolean | undefined> {
  const { rows } = await sql<{ ever: boolean }>`
    select ${wasEverVerified(trustsManualVerification)} as ever from domains d where d.id = ${id}`.execute(
    db.database,
  );
  return rows[0]?.ever;
}

test('a claim was ever verified from its first verification on, also once it is pending again', async () => {
  const projectId = await newProject(db.database);
  const id = await newDomain(db.database, projectId, 'lost.example');
  assert.equal(await isEver(id), false);
  const first = new Date('2026-01-02T03:04:05Z');
  await noteVerified(db.database, { projectId, id }, first);
  await noteVerified(db.database, { projectId, id }, new Date());
  assert.equal(await isEver(id), true);
  const { verifiedAt } = await db.database
    .selectFrom('domainsFirstVerified')
    .select('verifiedAt')
    .where('domainId', '=', id)
    .executeTakeFirstOrThrow();
  assert.deepEqual(verifiedAt, first);
});

test('a claim that a worker of an earlier version verified counts', async () => {
  const projectId = await newProject(db.database);
  for (const status of ['verified', 'warning'] as const)
    assert.equal(
      await isEver(await newDomain(db.database, projectId, `${status}.example`, { status })),
      true,
    );
});

test('a claim that was verified by hand counts outside production alone', async () => {
  const projectId = await newProject(db.database);
  const id = await newDomain(db.database, projectId, 'hand.example');
  await verifyManually(db.database, projectId, 'hand.example');
  assert.equal(await isEver(id, true), true);
  assert.equal(await isEver(id, false), false);
});

test('the migration takes over the claims that are verified when it runs', async () => {
  const projectId = await newProject(db.database);
  const verifiedAt = new Date('2026-02-03T04:05:06Z');
  const verified = await newDomain(db.database, projectId, 'old.example', { status: 'verified', verifiedAt });
  const pending = await newDomain(db.database, projectId, 'new.example');
  await sql`drop table domains_first_verified`.execute(db.database);
  const migration = readMigrations().find(({ name }) => name.startsWith('0084-'));
  for (const statement of splitStatements(migration?.statements.join() ?? ''))
    await sql.raw(statement).execute(db.database);
  const rows = await db.database
    .selectFrom('domainsFirstVerified')
    .select(['domainId', 'verifiedAt'])
    .where('domainId', 'in', [verified, pending])
    .execute();
  assert.deepEqual(rows, [{ domainId: verified, verifiedAt }]);
});
