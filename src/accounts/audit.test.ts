import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { newUuid } from '../model/ids.ts';
import { type Actor, actingAs, differences, recordChange } from './audit.ts';

let db: TestDatabase;
let projectId: string;
before(async () => {
  db = await testDatabase();
  projectId = await newProject(db.database, 'shop');
});
after(() => db[Symbol.asyncDispose]());

const ADA: Actor = { kind: 'user', id: newUuid(), name: 'ada@acme.example', address: '192.0.2.1' };

function linesOf(action: string) {
  return db.database.selectFrom('auditLog').selectAll().where('action', '=', action).execute();
}

test('a change records its actor, the address, and the values before and after', async () => {
  await actingAs(ADA, async () => {
    const change = { action: 'project.rename', target: 'prj_1', targetName: 'shop' } as const;
    await recordChange(db.database, {
      ...change,
      of: { projectId },
      ...differences({ name: 'store', plan: 'paid' }, { name: 'shop', plan: 'paid' }),
    });
  });
  const [line] = await linesOf('project.rename');
  assert.partialDeepStrictEqual(line, {
    projectId,
    actorKind: 'user',
    actorId: ADA.id,
    actorName: 'ada@acme.example',
    address: '192.0.2.1',
    target: 'prj_1',
    targetName: 'shop',
    before: { name: 'store' },
    after: { name: 'shop' },
  });
});

test('a change outside of `actingAs` is attributed to the service itself', async () => {
  await recordChange(db.database, { of: { projectId }, action: 'domain.verify', target: 'dom_1' });
  const [line] = await linesOf('domain.verify');
  assert.partialDeepStrictEqual(line, { actorKind: 'system', actorId: null, address: null, before: null });
});

test('each change by concurrent actors is attributed to its own actor', async () => {
  const bob: Actor = { ...ADA, id: newUuid(), name: 'bob@acme.example' };
  const change = { of: { projectId }, action: 'key.create' } as const;
  await Promise.all(
    [ADA, bob].map((actor) =>
      actingAs(actor, async () => {
        await Promise.resolve();
        await recordChange(db.database, { ...change, target: actor.name });
      }),
    ),
  );
  const lines = await linesOf('key.create');
  assert.deepEqual(lines.map(({ actorName, target }) => [actorName, target]).sort(), [
    [ADA.name, ADA.name],
    [bob.name, bob.name],
  ]);
});

test('long texts in the audit log are truncated, and changes of a deleted project are not recorded', async () => {
  const after = { text: 'x'.repeat(10_000), list: Array.from({ length: 1_000 }, () => 'y') };
  await recordChange(db.database, { of: { projectId }, action: 'template.create', target: 't', after });
  await recordChange(db.database, { of: { projectId: newUuid() }, action: 'template.create', target: 't' });
  const lines = await linesOf('template.create');
  assert.equal(lines.length, 1);
  assert.ok(JSON.stringify(lines[0]).length < 2_000);
});
