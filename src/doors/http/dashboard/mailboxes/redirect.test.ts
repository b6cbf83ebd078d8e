/** Tests that only admins and owners can redirect mail of an address, and only after a recent confirmation. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let at: string;
let domainId: string;
before(async () => {
  dashboard = await startDashboard();
  at = `/projects/${dashboard.projectId}`;
  const { body } = await dashboard
    .as('developer')
    .post<{ id: string }>(`${at}/domains`, { domain: 'redirect.example' });
  domainId = body.id;
});
after(() => dashboard[Symbol.asyncDispose]());

let made = 0;
const newMailbox = async (user: TestUser, fields: object = {}) => {
  const local_part = `box${(made += 1)}`;
  return user.post<{ id: string; type?: string }>(`${at}/mailboxes`, {
    local_part,
    domain_id: domainId,
    ...fields,
  });
};

/** The error code of a problem response. Empty for other responses. */
const slug = ({ body }: { body: Record<string, unknown> | null }) =>
  String(body?.['type'] ?? '').replace('/errors/', '');

async function withoutConfirmation(): Promise<TestUser> {
  const user = await dashboard.newUser('admin');
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(Date.now() - 11 * 60_000) })
    .where('userId', '=', user.userId)
    .execute();
  return user;
}

test('a developer can create a mailbox, but cannot create a catch-all', async () => {
  const developer = dashboard.as('developer');
  assert.equal((await newMailbox(developer)).status, 201);
  assert.equal((await newMailbox(developer, { is_catch_all: false })).status, 201);
  const refused = await newMailbox(developer, { is_catch_all: true });
  assert.deepEqual([refused.status, slug(refused)], [403, 'missing-role']);
});

test('a developer can rename a mailbox, but cannot make a mailbox the catch-all', async () => {
  const developer = dashboard.as('developer');
  const { body } = await newMailbox(developer);
  const change = (user: TestUser, fields: object) => user.patch(`${at}/mailboxes/${body.id}`, fields);
  assert.equal((await change(developer, { display_name: 'Support' })).status, 200);
  for (const isCatchAll of [true, false]) {
    const refused = await change(developer, { display_name: 'Other', is_catch_all: isCatchAll });
    assert.deepEqual([refused.status, slug(refused)], [403, 'missing-role']);
  }
  assert.equal((await change(dashboard.as('admin'), { is_catch_all: true })).status, 200);
  assert.equal((await change(dashboard.as('admin'), { is_catch_all: false })).status, 200);
});

test('making a mailbox the catch-all requires an admin with a recent confirmation', async () => {
  const { body } = await newMailbox(dashboard.as('developer'));
  const admin = await withoutConfirmation();
  const path = `${at}/mailboxes/${body.id}`;
  assert.equal((await admin.patch(path, { display_name: 'Support' })).status, 200);
  assert.equal(slug(await admin.patch(path, { is_catch_all: true })), 'confirmation-required');
});

test('a developer cannot create, change or delete an alias', async () => {
  const [developer, admin] = [dashboard.as('developer'), dashboard.as('admin')];
  const { body: mailbox } = await newMailbox(developer);
  const alias = { local_part: 'sales', domain_id: domainId, mailbox_ids: [mailbox.id] };
  const refused = await developer.post(`${at}/aliases`, alias);
  assert.deepEqual([refused.status, slug(refused)], [403, 'missing-role']);
  const created = await admin.post<{ id: string }>(`${at}/aliases`, alias);
  assert.equal(created.status, 201);
  const path = `${at}/aliases/${created.body.id}`;
  assert.equal(slug(await developer.patch(path, { mailbox_ids: [mailbox.id] })), 'missing-role');
  assert.equal(slug(await developer.delete(path)), 'missing-role');
  assert.equal((await admin.patch(path, { mailbox_ids: [mailbox.id] })).status, 200);
  assert.equal((await admin.delete(path)).status, 204);
});
