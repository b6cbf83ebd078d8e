import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import { Suppressions } from './suppressions.ts';

let db: TestDatabase;
let suppressions: Suppressions;
before(async () => {
  db = await testDatabase();
  suppressions = new Suppressions(db.database);
});
after(() => db[Symbol.asyncDispose]());

const add = (projectId: string, address: string, expiresAt: Date | null = null) =>
  suppressions.add(projectId, { address, reason: 'manual', expiresAt });

test('what was added is found in any spelling, until it is removed', async () => {
  const projectId = newUuid();
  const added = await add(projectId, 'Ann <Ann@Bücher.test>');
  assert.equal(added.address, 'Ann@xn--bcher-kva.test');
  assert.deepEqual(await suppressions.find(projectId, 'ANN@xn--bcher-kva.test'), added);
  assert.equal(await suppressions.remove(projectId, 'ann@BÜCHER.test'), true);
  assert.equal(await suppressions.find(projectId, 'ann@bücher.test'), null);
  assert.equal(await suppressions.remove(projectId, 'ann@bücher.test'), false);
});

test('adding a weaker reason answers with the entry that stands', async () => {
  const projectId = newUuid();
  const first = await suppressions.add(projectId, {
    address: 'a@dst.test',
    reason: 'complaint',
    expiresAt: null,
  });
  assert.deepEqual(await add(projectId, 'a@dst.test', new Date(Date.now() + 60_000)), first);
});

test('each project sees its own list only', async () => {
  const [one, two] = [newUuid(), newUuid()];
  await add(one, 'a@dst.test');
  assert.equal(await suppressions.find(two, 'a@dst.test'), null);
  assert.equal(await suppressions.remove(two, 'a@dst.test'), false);
  assert.deepEqual((await suppressions.list(two, { limit: 10, cursor: null })).data, []);
  assert.equal((await suppressions.list(one, { limit: 10, cursor: null })).data.length, 1);
});

test('pages cover the list once, in the order of the addresses, while entries come and go', async () => {
  const projectId = newUuid();
  for (const name of ['e', 'a', 'd', 'b', 'c']) await add(projectId, `${name}@dst.test`);
  const first = await suppressions.list(projectId, { limit: 2, cursor: null });
  await add(projectId, '0@dst.test');
  await suppressions.remove(projectId, 'b@dst.test');
  const second = await suppressions.list(projectId, { limit: 2, cursor: first.nextCursor });
  const third = await suppressions.list(projectId, { limit: 2, cursor: second.nextCursor });
  assert.deepEqual(
    [first, second, third].map(({ data }) => data.map(({ address }) => address[0])),
    [['a', 'b'], ['c', 'd'], ['e']],
  );
  assert.equal(third.nextCursor, null);
});

test('an expired entry counts for nothing', async () => {
  const projectId = newUuid();
  await add(projectId, 'a@dst.test', new Date(Date.now() + 60_000));
  await sql`update suppressions set expires_at = now() - interval '1 second' where project_id = ${projectId}`.execute(
    db.database,
  );
  assert.equal(await suppressions.find(projectId, 'a@dst.test'), null);
  assert.deepEqual((await suppressions.list(projectId, { limit: 10, cursor: null })).data, []);
  assert.equal(await suppressions.remove(projectId, 'a@dst.test'), false);
});

test('what is no address, no cursor or no future is refused by name', async () => {
  const projectId = newUuid();
  const refused = (field: string) => (error: { errors?: object }) => field in (error.errors ?? {});
  await assert.rejects(add(projectId, 'nobody'), refused('address'));
  await assert.rejects(add(projectId, 'a@dst.test', new Date()), refused('expires'));
  await assert.rejects(suppressions.find(projectId, ''), refused('address'));
  await assert.rejects(suppressions.list(projectId, { limit: 1, cursor: '!' }), refused('cursor'));
});
