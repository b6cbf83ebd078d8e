import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
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

test('a claim counts as ever verified from its first verification on, even when it is pending again', async () => {
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

test('a claim that an earlier version verified counts as ever verified', async () => {
  const projectId = await newProject(db.database);
  for (const status of ['verified', 'warning'] as const)
    assert.equal(
      await isEver(await newDomain(db.database, projectId, `${status}.example`, { status })),
      true,
    );
});

test('a claim that was verified by hand counts as ever verified only outside production', async () => {
  const projectId = await newProject(db.database);
  const id = await newDomain(db.database, projectId, 'hand.example');
  await verifyManually(db.database, projectId, 'hand.example');
  assert.equal(await isEver(id, true), true);
  assert.equal(await isEver(id, false), false);
});
