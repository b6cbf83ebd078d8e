import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../../../../test/support/eventually.ts';
import type { RejectedRequestDetail, RejectedRequestPage } from '../../../../contract/dashboard/api-log.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
});
after(() => dashboard[Symbol.asyncDispose]());

const path = (more = '') => `/projects/${dashboard.projectId}/rejected-requests${more}`;

test('a rejected request appears in the API log, and only users who may see content get its body', async () => {
  const { client } = dashboard.project;
  const accepted = await client.post('/v1/emails', {
    from: 'a@hosted.example',
    to: ['ada@example.com'],
    text: 'Hello',
  });
  const rejected = await client.post('/v1/mailboxes', {
    domain_id: 'dom_x',
    local_part: 'ann',
    password: 'hunter2hunter2',
    colour: 'red',
  });
  assert.equal(rejected.status, 422);
  const list = async () => (await dashboard.as('viewer').get<RejectedRequestPage>(path())).body.data;
  assert.ok(
    await eventually(async () => (await list()).some(({ route }) => route === '/v1/mailboxes'), 5_000),
  );
  const [entry, ...others] = (await list()).filter(({ route }) => route === '/v1/mailboxes');
  assert.ok(entry !== undefined && others.length === 0);
  assert.equal((await list()).length, accepted.status === 202 ? 1 : 2);
  const hidden = (await dashboard.as('viewer').get<RejectedRequestDetail>(path(`/${entry.id}`))).body;
  assert.deepEqual([hidden.hides_body, hidden.body], [true, null]);
  const shown = (await dashboard.as('developer').get<RejectedRequestDetail>(path(`/${entry.id}`))).body;
  assert.deepEqual(shown.errors, rejected.body['errors']);
  assert.deepEqual(
    [shown.hides_body, JSON.parse(shown.body ?? '')],
    [false, { domain_id: 'dom_x', local_part: 'ann', password: '<secret>', colour: '<unknown field>' }],
  );
  assert.equal(shown.request_id, rejected.headers.get('x-request-id'));
  const foreign = `/projects/${dashboard.foreignProjectId}/rejected-requests/${entry.id}`;
  assert.equal((await dashboard.as('other').get(foreign)).status, 404);
});
