import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createApiKey } from '../../../../accounts/keys/api-keys.ts';
import { createOrganizationWithOwner } from '../../../../accounts/members/memberships.ts';
import { createProject } from '../../../../accounts/projects/projects.ts';
import { DAY_MS } from '../../../../model/day.ts';
import { decodeId, encodeId, newUuid, restartIds } from '../../../../model/ids.ts';
import { insertEmails } from '../../../../sending/accept/insert-emails.ts';
import { newEmail } from '../../../../../test/support/emails.ts';
import { newShop } from '../../../../../test/support/projects.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const typeOf = (body: object) => (body as { type?: string }).type?.replace('/errors/', '');
const changes = async () =>
  (
    await dashboard
      .as('owner')
      .get<{ data: object[] }>(`/organizations/${dashboard.organization.id}/changes?limit=5`)
  ).body.data;

async function shopWithEmails(name: string, count: number): Promise<{ uuid: string; path: string }> {
  const uuid = await newShop(dashboard.db.database, name, { localPart: 'sales' });
  await insertEmails(
    dashboard.db.database,
    Array.from({ length: count }, (_, n) => {
      // Without this call, the id would not get the time that is passed to `newUuid`, because the time of ids never decreases.
      restartIds();
      return newEmail({
        projectId: uuid,
        emailId: newUuid(Date.now() - n * DAY_MS),
        subject: `Order ${n}`,
      });
    }),
  );
  return { uuid, path: `/projects/${encodeId('prj', uuid)}` };
}

test('all members can read the settings of a project, and admins can change them', async () => {
  const path = `/projects/${dashboard.projectId}`;
  const change = {
    name: 'renamed',
    spam_level: 'high',
    track_opens: true,
    smtp_tracking: true,
    smtp_events: true,
    mail_directory: true,
    link_names: true,
  };
  assert.equal((await dashboard.as('developer').patch(path, change)).status, 403);
  assert.equal((await dashboard.as('admin').patch(path, change)).status, 204);
  const { body } = await dashboard.as('viewer').get(`${path}/settings`);
  assert.deepEqual(body, {
    ...change,
    plan: 'paid',
    track_clicks: false,
    keep_days: null,
    keep_bodies_days: null,
    installation_keep_days: null,
  });
  assert.partialDeepStrictEqual((await changes())[0], {
    action: 'project.update',
    before: { spam_level: 'medium' },
    after: { spam_level: 'high' },
  });
});

test('only an operator can change the plan of a project', async () => {
  const path = `/projects/${dashboard.projectId}`;
  assert.equal(typeOf((await dashboard.as('owner').patch(path, { plan: 'free' })).body), 'missing-role');
  const operator = await dashboard.newUser('admin', { isOperator: true });
  assert.equal((await operator.patch(path, { plan: 'free' })).status, 204);
  assert.equal((await operator.patch(path, { plan: 'paid' })).status, 204);
});

test('retention settings can be previewed with the number of emails that they would delete, and then saved', async () => {
  const { path } = await shopWithEmails('old', 10);
  const admin = dashboard.as('admin');
  const { body } = await admin.get(`${path}/retention/preview?keep_days=6&keep_bodies_days=3`);
  assert.partialDeepStrictEqual(body, { emails: 4, bodies: 7 });
  assert.equal(
    (await admin.request('PUT', `${path}/retention`, { body: { keep_days: 0, keep_bodies_days: null } }))
      .status,
    422,
  );
  const kept = { keep_days: 6, keep_bodies_days: 0 };
  assert.equal((await admin.request('PUT', `${path}/retention`, { body: kept })).status, 204);
  assert.partialDeepStrictEqual((await admin.get(`${path}/settings`)).body, kept);
});

test('the export of a project has one line per record, and is logged', async () => {
  const { path } = await shopWithEmails('handed-out', 5);
  assert.equal((await dashboard.as('developer').get(`${path}/export`)).status, 403);
  const { text, headers } = await dashboard.as('admin').get(`${path}/export`);
  assert.equal(headers.get('content-disposition'), 'attachment; filename="export.ndjson"');
  const lines = text
    .trimEnd()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as Record<string, { subject?: string; name?: string; events?: object[] }>,
    );
  assert.equal(lines[0]?.['project']?.name, 'handed-out');
  const of = (kind: string) => lines.flatMap((line) => line[kind] ?? []);
  assert.deepEqual(
    of('emails').map(({ subject }) => subject),
    ['Order 0', 'Order 1', 'Order 2', 'Order 3', 'Order 4'],
  );
  assert.equal(of('emails')[0]?.events?.length, 1);
  assert.equal(of('mailboxes').length, 1);
  assert.partialDeepStrictEqual((await changes())[0], {
    action: 'project.export',
    target_name: 'handed-out',
  });
});

test('an export stops when the session of the user who started it ends', async () => {
  const { path } = await shopWithEmails('stopped', 2);
  const user = await dashboard.newUser('admin');
  await dashboard.db.database.deleteFrom('sessions').where('userId', '=', user.userId).execute();
  assert.equal((await user.get(`${path}/export`)).status, 401);
});

test('an owner deletes a project by typing its name, and other projects stay unchanged', async () => {
  const { uuid, path } = await shopWithEmails('doomed', 3);
  const other = await shopWithEmails('spared', 3);
  const { token } = await createApiKey(dashboard.db.database, uuid, 'k', null);
  const owner = dashboard.as('owner');
  const { body: contents } = await owner.get(`${path}/contents`);
  assert.partialDeepStrictEqual(contents, { emails: 3, waiting: 3, mailboxes: 1, domains: 1, api_keys: 1 });
  const remove = (as: 'owner' | 'admin', name: string) =>
    dashboard.as(as).request('DELETE', path, { body: { name } });
  assert.equal((await remove('admin', 'doomed')).status, 403);
  const wrong = await remove('owner', 'spared');
  assert.deepEqual(wrong.body['errors'], { name: 'must match the name: doomed' });
  assert.equal((await remove('owner', 'doomed')).status, 204);
  const key = { headers: { authorization: `Bearer ${token}` } };
  assert.equal((await fetch(`${dashboard.baseUrl}/v1/emails`, key)).status, 401);
  assert.equal((await owner.get(`${path}/settings`)).status, 404);
  const mailboxes = await dashboard.db.database.selectFrom('mailboxes').select('projectId').execute();
  assert.ok(mailboxes.every(({ projectId }) => projectId !== uuid));
  assert.partialDeepStrictEqual((await owner.get(`${other.path}/contents`)).body, {
    emails: 3,
    mailboxes: 1,
  });
  assert.partialDeepStrictEqual((await changes())[0], { action: 'project.delete', target_name: 'doomed' });
});

test('an operator can create an organization, and deleting the organization deletes only its projects', async () => {
  const { database } = dashboard.db;
  assert.equal((await dashboard.as('owner').post('/organizations', { name: 'second' })).status, 403);
  const made = await dashboard.as('operator').post<{ id: string }>('/organizations', { name: 'second' });
  assert.equal(made.status, 201);
  const { id } = await createOrganizationWithOwner(database, dashboard.as('owner').userId, 'third');
  const organizationId = decodeId('org', id) ?? '';
  for (const name of ['one of third', 'two of third'])
    await createProject(database, organizationId, name, 'paid');
  const path = `/organizations/${id}`;
  const owner = dashboard.as('owner');
  assert.partialDeepStrictEqual((await owner.get(`${path}/contents`)).body, { projects: 2 });
  const { text } = await owner.get(`${path}/export`);
  assert.match(text, /^\{"project":\{"id":"prj_[^\n]*"one of third"[^\n]*\n\{"project":[^\n]*"two of third"/);
  assert.equal((await owner.request('DELETE', path, { body: { name: 'third' } })).status, 204);
  const { body: session } = await owner.get<{
    organizations: { name: string }[];
    projects: { name: string }[];
  }>('/session');
  assert.ok(!session.organizations.some(({ name }) => name === 'third'));
  assert.ok(session.projects.length > 0);
  assert.equal((await owner.get(`${path}/contents`)).status, 404);
  const { body: log } = await dashboard.as('operator').get<{ data: object[] }>('/system/changes');
  assert.partialDeepStrictEqual(log.data[0], { action: 'organization.delete', target: id });
});

test('usage is shown per day, with the limits of the plan', async () => {
  const { path } = await shopWithEmails('used', 3);
  const operator = await dashboard.newUser('admin', { isOperator: true });
  for (const [plan, limit] of [
    ['free', 100],
    ['paid', null],
  ] as const) {
    await operator.patch(path, { plan });
    const { body } = await dashboard.as('viewer').get<{
      emails: { used: number };
      days: { emails: number }[];
    }>(`${path}/usage`);
    assert.partialDeepStrictEqual(body, { plan, emails: { limit }, mailboxes: { used: 1 } });
    assert.equal(body.days.length, 30);
    assert.deepEqual(
      body.days.slice(-3).map(({ emails }) => emails),
      [1, 1, 1],
    );
    const inMonth = Math.min(3, new Date().getUTCDate());
    assert.equal(body.emails.used, inMonth);
  }
});
