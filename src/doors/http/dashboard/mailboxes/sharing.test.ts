/** Tests that only admins give access to mailboxes, only after a confirmation, and only within their own organization. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { MailboxSharing } from '../../../../contract/dashboard/sharing.ts';
import { type TestDashboard, type TestUser, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let at: string;
let domainId: string;
before(async () => {
  dashboard = await startDashboard();
  at = `/projects/${dashboard.projectId}`;
  const { body } = await dashboard
    .as('developer')
    .post<{ id: string }>(`${at}/domains`, { domain: 'sharing.example' });
  domainId = body.id;
});
after(() => dashboard[Symbol.asyncDispose]());

let made = 0;
async function newMailbox(fields: object = {}) {
  const local_part = `box${(made += 1)}`;
  const { body, status } = await dashboard
    .as('developer')
    .post<{ id: string; password?: string; has_password: boolean }>(`${at}/mailboxes`, {
      local_part,
      domain_id: domainId,
      ...fields,
    });
  assert.equal(status, 201);
  return { ...body, members: `${at}/mailboxes/${body.id}/members`, address: `${local_part}@sharing.example` };
}

/** The error code of a problem response. */
const slug = ({ body }: { body: { type?: string } | null }) => (body?.type ?? '').replace('/errors/', '');
const rightsOf = (member: { address: string }) => ({
  member: member.address,
  access: 'write',
  sending: 'as',
});

async function withoutConfirmation(): Promise<TestUser> {
  const user = await dashboard.newUser('admin');
  await dashboard.db.database
    .updateTable('sessions')
    .set({ confirmedAt: new Date(Date.now() - 11 * 60_000) })
    .where('userId', '=', user.userId)
    .execute();
  return user;
}

test('a shared mailbox is created without a password, and none can be set', async () => {
  const info = await newMailbox({ is_shared: true });
  assert.deepEqual([info.has_password, info.password], [false, undefined]);
  const admin = dashboard.as('admin');
  const { body: shown } = await admin.get<{ is_shared: boolean }>(`${at}/mailboxes/${info.id}`);
  assert.equal(shown.is_shared, true);
  const set = await admin.put(`${at}/mailboxes/${info.id}/password`, {});
  assert.deepEqual([set.status, slug(set)], [422, 'validation-failed']);
  const both = { local_part: 'both', domain_id: domainId, is_shared: true, password: 'a long password' };
  assert.equal((await admin.post(`${at}/mailboxes`, both)).status, 422);
});

test('an admin gives and revokes access, and both sides list it', async () => {
  const [info, ann] = [await newMailbox({ is_shared: true }), await newMailbox()];
  const admin = dashboard.as('admin');
  const shared = await admin.put<MailboxSharing>(info.members, rightsOf(ann));
  assert.deepEqual(
    shared.body.data.map(({ address, access, sending }) => [address, access, sending]),
    [[ann.address, 'write', 'as']],
  );
  const own = await dashboard.as('viewer').get<MailboxSharing>(ann.members);
  assert.deepEqual(
    own.body.shared_with_it.map(({ mailbox_id }) => mailbox_id),
    [info.id],
  );
  const revoke = () => admin.delete(`${info.members}?member=${encodeURIComponent(ann.address)}`);
  assert.equal((await revoke()).status, 204);
  assert.equal((await revoke()).status, 404);
});

for (const role of ['developer', 'viewer'] as const)
  test(`a ${role} can neither give nor revoke access`, async () => {
    const [info, ann] = [await newMailbox({ is_shared: true }), await newMailbox()];
    const user = dashboard.as(role);
    assert.equal(slug(await user.put(info.members, rightsOf(ann))), 'missing-role');
    assert.equal(slug(await user.delete(`${info.members}?member=${ann.address}`)), 'missing-role');
  });

test('giving access requires a recent confirmation, and revoking it does not', async () => {
  const [info, ann] = [await newMailbox({ is_shared: true }), await newMailbox()];
  const admin = await withoutConfirmation();
  assert.equal(slug(await admin.put(info.members, rightsOf(ann))), 'confirmation-required');
  assert.equal((await dashboard.as('admin').put(info.members, rightsOf(ann))).status, 200);
  assert.equal((await admin.delete(`${info.members}?member=${ann.address}`)).status, 204);
});

test('an owner of another organization gets the response for an unknown mailbox', async () => {
  const [info, ann] = [await newMailbox({ is_shared: true }), await newMailbox()];
  const other = dashboard.as('other');
  const inOther = info.members.replace(dashboard.projectId, dashboard.foreignProjectId);
  for (const path of [info.members, inOther]) {
    assert.equal((await other.put(path, rightsOf(ann))).status, path === inOther ? 422 : 404, path);
    assert.equal((await other.get(path)).status, 404);
  }
});
