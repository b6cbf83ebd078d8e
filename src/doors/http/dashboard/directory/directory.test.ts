import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMailbox } from '../../../../../test/support/mail.ts';
import { createProject } from '../../../../accounts/projects/projects.ts';
import type { FoundPeople, Shares } from '../../../../contract/dashboard/directory.ts';
import type { Person } from '../../../../contract/directory.ts';
import { addMember } from '../../../../directory/members.ts';
import { decodeId, encodeId, NIL_UUID } from '../../../../model/ids.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let path: string;
/** Another project of the organization, and the path of its directory. */
let other: { id: string; path: string };
before(async () => {
  dashboard = await startDashboard();
  path = `/projects/${dashboard.projectId}`;
  const { database } = dashboard.db;
  const { organizationId } = await database
    .selectFrom('projects')
    .select('organizationId')
    .where('id', '=', dashboard.project.id)
    .executeTakeFirstOrThrow();
  const id = encodeId('prj', await createProject(database, organizationId, 'newsletter', 'paid'));
  other = { id, path: `/projects/${id}` };
});
after(() => dashboard[Symbol.asyncDispose]());

const people = async (query = '', place = path) =>
  (await dashboard.as('viewer').get<FoundPeople>(`${place}/directory?${query}`)).body;
const namesOf = async (query = '', place = path) => (await people(query, place)).data.map(({ name }) => name);
const add = (name: string, more: object = {}) =>
  dashboard.as('developer').post<Person>(`${path}/directory`, {
    name,
    email: `${name.toLowerCase()}@dst.test`,
    ...more,
  });

test('people can be added, searched page by page, changed and deleted', async () => {
  for (const name of ['Cid', 'ann', 'Bo']) assert.equal((await add(name)).status, 201);
  const first = await people('limit=2');
  assert.deepEqual(
    first.data.map(({ name }) => name),
    ['ann', 'Bo'],
  );
  assert.deepEqual(await namesOf(`limit=2&cursor=${first.next_cursor}`), ['Cid']);
  const [bo] = (await people('q=BO@DST')).data;
  assert.ok(bo);
  const changed = await dashboard.as('developer').patch<Person>(`${path}/directory/${bo.id}`, {
    name: 'Bo Lee',
    title: 'Analyst',
    notes: '',
  });
  assert.deepEqual(changed.body, { ...bo, name: 'Bo Lee', title: 'Analyst' });
  assert.deepEqual(await namesOf('q=analyst'), ['Bo Lee']);
  const taken = await dashboard
    .as('developer')
    .patch(`${path}/directory/${bo.id}`, { email: 'ANN@dst.test' });
  assert.deepEqual([taken.status, taken.body['type']], [422, '/errors/already-exists']);
  assert.equal((await dashboard.as('developer').delete(`${path}/directory/${bo.id}`)).status, 204);
  assert.deepEqual(await namesOf(), ['ann', 'Cid']);
  const actions = await dashboard.db.database
    .selectFrom('auditLog')
    .select(['action', 'before', 'after'])
    .where('target', '=', bo.id)
    .orderBy('id')
    .execute();
  assert.deepEqual(
    actions.map(({ action }) => action),
    ['person.create', 'person.update', 'person.delete'],
  );
  assert.deepEqual(actions[1]?.after, { name: 'Bo Lee', title: 'Analyst' });
});

test('a person synced from a mailbox cannot be changed or deleted', async () => {
  const { database } = dashboard.db;
  const projectId = dashboard.project.id;
  const { mailboxId } = await newMailbox(database, { projectId });
  await database
    .transaction()
    .execute((tx) => addMember(tx, projectId, { mailboxId, name: 'Sales', email: 'sales@acme.test' }));
  const [member] = (await people('source=mailbox')).data;
  assert.equal(member?.source, 'mailbox');
  const place = `${path}/directory/${member.id}`;
  for (const { status, body } of [
    await dashboard.as('developer').patch(place, { name: 'x' }),
    await dashboard.as('developer').delete(place),
  ])
    assert.deepEqual([status, body['type']], [400, '/errors/synced-member-protected']);
});

test('a directory can be shared only with another project of the same organization', async () => {
  const admin = dashboard.as('admin');
  for (const to of ['nobody', encodeId('prj', NIL_UUID), dashboard.foreignProjectId]) {
    const { status, body } = await admin.post(`${path}/shares`, { to });
    assert.deepEqual([status, Object.keys((body['errors'] as object | undefined) ?? {})], [422, ['to']], to);
  }
  assert.equal((await admin.post(`${path}/shares`, { to: other.id })).status, 201);
  assert.equal((await admin.post(`${path}/shares`, { to: other.id })).status, 422);
  const shares = async (place: string) => (await admin.get<Shares>(`${place}/shares`)).body;
  const [outbound] = (await shares(path)).outbound;
  assert.deepEqual([outbound?.project_name, (await shares(other.path)).inbound.length], ['newsletter', 1]);
  assert.deepEqual(await namesOf('source=shared', other.path), await namesOf());
  const [seen] = (await people('q=ann', other.path)).data;
  assert.equal((await admin.delete(`${other.path}/directory/${seen?.id}`)).status, 404);

  assert.equal((await dashboard.as('developer').post(`${path}/shares`, { to: other.id })).status, 403);
  const share = `/shares/${outbound?.id}`;
  assert.equal((await dashboard.as('developer').delete(path + share)).status, 403);
  // The project with which a directory is shared cannot end the share.
  assert.equal((await admin.delete(other.path + share)).status, 404);
  assert.equal((await admin.delete(path + share)).status, 204);
  assert.deepEqual(await namesOf('', other.path), []);
});

test('a directory cannot be shared with a project hidden from the user', async () => {
  const { database } = dashboard.db;
  const { userId } = dashboard.as('admin');
  const project = await database
    .selectFrom('projects')
    .select(['id', 'organizationId'])
    .where('id', '=', decodeId('prj', other.id) ?? '')
    .executeTakeFirstOrThrow();
  await database
    .insertInto('projectRoles')
    .values({ organizationId: project.organizationId, userId, projectId: project.id, role: 'none' })
    .execute();
  const user = await dashboard.signIn(userId, dashboard.as('admin').email);
  assert.equal((await user.post(`${path}/shares`, { to: other.id })).status, 422);
});
