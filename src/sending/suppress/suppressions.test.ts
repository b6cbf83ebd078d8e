import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import type { ListSuppressionsQuery } from '../../contract/suppressions.ts';
import { Suppressions } from './suppressions.ts';

let db: TestDatabase;
let suppressions: Suppressions;
before(async () => {
  db = await testDatabase();
  suppressions = new Suppressions(db.database);
});
after(() => db[Symbol.asyncDispose]());

const add = async (projectId: string, address: string, expiresAt?: Date) => {
  const { data } = await suppressions.add(projectId, {
    addresses: [address],
    ...(expiresAt !== undefined && { expires_at: expiresAt.toISOString() }),
  });
  const [entry] = data;
  assert.ok(entry);
  return entry;
};
const list = async (projectId: string, query: Partial<ListSuppressionsQuery> = {}) =>
  (await suppressions.list(projectId, { limit: 10, ...query })).data.map(({ address }) => address);

test('an added address is found in any spelling until it is removed', async () => {
  const projectId = newUuid();
  const added = await add(projectId, 'Ann <Ann@Bücher.test>');
  assert.equal(added.address, 'Ann@xn--bcher-kva.test');
  assert.deepEqual(await suppressions.find(projectId, 'ANN@xn--bcher-kva.test'), added);
  assert.deepEqual(await suppressions.remove(projectId, ['ann@BÜCHER.test']), ['Ann@xn--bcher-kva.test']);
  assert.equal(await suppressions.find(projectId, 'ann@bücher.test'), null);
  assert.deepEqual(await suppressions.remove(projectId, ['ann@bücher.test']), []);
});

test('adding a weaker reason returns the existing entry', async () => {
  const projectId = newUuid();
  const { data, added } = await suppressions.add(projectId, {
    addresses: ['a@dst.test'],
    reason: 'complaint',
  });
  assert.equal(added, 1);
  assert.deepEqual(
    await suppressions.add(projectId, {
      addresses: ['A@dst.test'],
      expires_at: new Date(Date.now() + 60_000).toISOString(),
    }),
    { data, added: 0 },
  );
});

test('a list of addresses is added completely or not at all, and duplicates and existing entries are not counted as added', async () => {
  const projectId = newUuid();
  await add(projectId, 'b@dst.test');
  const addresses = ['c@dst.test', 'B@dst.test', 'Ann <a@dst.test>', 'C@DST.test'];
  const answer = await suppressions.add(projectId, { addresses, reason: 'unsubscribe' });
  assert.equal(answer.added, 2);
  assert.deepEqual(
    answer.data.map(({ address, reason }) => [address, reason]),
    [
      ['c@dst.test', 'unsubscribe'],
      ['B@dst.test', 'unsubscribe'],
      ['a@dst.test', 'unsubscribe'],
    ],
  );
  await assert.rejects(suppressions.add(projectId, { addresses: ['d@dst.test', 'nobody'] }), {
    errors: {
      addresses: 'addresses[1]: not an address: it has no @; write local@domain or Name <local@domain>',
    },
  });
  assert.equal(await suppressions.find(projectId, 'd@dst.test'), null);
});

test('a project reads and changes only its own list', async () => {
  const [one, two] = [newUuid(), newUuid()];
  await add(one, 'a@dst.test');
  assert.equal(await suppressions.find(two, 'a@dst.test'), null);
  assert.deepEqual(await suppressions.remove(two, ['a@dst.test']), []);
  assert.deepEqual([await list(two), await list(one)], [[], ['a@dst.test']]);
});

test('pages contain each entry once, newest first, while other entries are added and removed', async () => {
  const projectId = newUuid();
  // Entries of one request have the same time of creation.
  await suppressions.add(projectId, { addresses: ['b@dst.test', 'a@dst.test', 'c@dst.test'] });
  await suppressions.add(projectId, { addresses: ['e@dst.test', 'd@dst.test'], reason: 'complaint' });
  const page = (cursor: string | null) =>
    suppressions.list(projectId, { limit: 2, ...(cursor !== null && { cursor }) });
  const first = await page(null);
  await add(projectId, '0@dst.test');
  await suppressions.remove(projectId, ['b@dst.test']);
  const second = await page(first.next_cursor);
  assert.deepEqual(
    [first, second].map(({ data }) => data.map(({ address }) => address[0])),
    [
      ['e', 'd'],
      ['c', 'a'],
    ],
  );
  assert.equal(second.next_cursor, null);
});

test('the list can be filtered by address, reason, time, or a combination of these', async () => {
  const projectId = newUuid();
  await add(projectId, 'old@dst.test');
  const since = new Date(Date.now() + 60_000);
  await sql`update suppressions set created_at = created_at + interval '1 hour' where project_id = ${projectId}`.execute(
    db.database,
  );
  await suppressions.add(projectId, { addresses: ['a@dst.test', 'b@dst.test'], reason: 'bounce' });
  assert.deepEqual(await list(projectId, { reason: 'bounce' }), ['b@dst.test', 'a@dst.test']);
  assert.deepEqual(await list(projectId, { reason: 'complaint' }), []);
  assert.deepEqual(await list(projectId, { address: 'Ann <A@dst.test>' }), ['a@dst.test']);
  assert.deepEqual(await list(projectId, { address: 'nobody' }), []);
  assert.deepEqual(await list(projectId, { since: since.toISOString() }), ['old@dst.test']);
  assert.deepEqual(await list(projectId, { since: since.toISOString(), reason: 'bounce' }), []);
});

test('an expired entry is ignored', async () => {
  const projectId = newUuid();
  await add(projectId, 'a@dst.test', new Date(Date.now() + 60_000));
  await sql`update suppressions set expires_at = now() - interval '1 second' where project_id = ${projectId}`.execute(
    db.database,
  );
  assert.equal(await suppressions.find(projectId, 'a@dst.test'), null);
  assert.deepEqual(await list(projectId), []);
  assert.deepEqual(await suppressions.remove(projectId, ['a@dst.test']), []);
});

test('an invalid address, cursor or expiry time is rejected with an error that names its field', async () => {
  const projectId = newUuid();
  const refused = (field: string) => (error: { errors?: object }) => field in (error.errors ?? {});
  await assert.rejects(add(projectId, 'nobody'), refused('addresses'));
  await assert.rejects(add(projectId, 'a@dst.test', new Date()), refused('expires_at'));
  for (const cursor of ['!', Buffer.from('1').toString('base64url'), 'MSA'])
    await assert.rejects(list(projectId, { cursor }), refused('cursor'));
});
