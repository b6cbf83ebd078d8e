import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { queueEmailWith } from '../../../../../test/support/emails.ts';
import { newDomain, newProject } from '../../../../../test/support/projects.ts';
import type { Metrics } from '../../../../contract/dashboard/metrics.ts';
import type { Overview, StartProgress } from '../../../../contract/dashboard/overview.ts';
import { verifyManually } from '../../../../domains/verify-manually.ts';
import { encodeId } from '../../../../model/ids.ts';
import { pauseSending } from '../../../../queue/pause.ts';
import { type TestDashboard, startDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
before(async () => {
  dashboard = await startDashboard();
  await pauseSending(dashboard.db.database, new Date());
});
after(() => dashboard[Symbol.asyncDispose]());

const read = async (range: string) => {
  const { body } = await dashboard
    .as('viewer')
    .get<Overview>(`/projects/${dashboard.projectId}/overview?range=${range}`);
  return body;
};

test('the start page shows the current status of the first email of the project', async () => {
  const path = `/projects/${dashboard.projectId}/start`;
  const before = await dashboard.as('viewer').get<StartProgress>(path);
  assert.partialDeepStrictEqual(before.body, { has_key: false, email: null });
  const { emailId } = await queueEmailWith(dashboard.db.database, ['sending', 'sent', 'delivered'], {
    projectId: dashboard.project.id,
  });
  const { body } = await dashboard.as('viewer').get<StartProgress>(path);
  assert.partialDeepStrictEqual(body.email, { id: encodeId('em', emailId), status: 'delivered' });
});

test('the next steps follow the facts of the project, and a user can hide them', async () => {
  const { db, organization, otherOrganization } = dashboard;
  const { database } = db;
  const uuid = await newProject(database, undefined, undefined, organization.uuid);
  const path = `/projects/${encodeId('prj', uuid)}/start`;
  const nextOf = async (user: 'owner' | 'viewer') =>
    (await dashboard.as(user).get<StartProgress>(path)).body.next;
  assert.deepEqual(await nextOf('owner'), { domain: null, has_webhook: false, has_colleague: true });
  const add = async (name: string) => {
    const { body } = await dashboard
      .as('owner')
      .post<{ id: string }>(`/projects/${encodeId('prj', uuid)}/domains`, { domain: name });
    return body.id;
  };
  const first = await add('first.example');
  const newest = await add('newest.example');
  await dashboard.as('owner').post(`/projects/${encodeId('prj', uuid)}/webhooks`, {
    url: 'https://app.example/hook',
    events: ['email.sent'],
  });
  await database
    .updateTable('domains')
    .set({ dnsZone: 'newest.example', nameServers: ['ada.ns.cloudflare.com'] })
    .where('projectId', '=', uuid)
    .where('name', '=', 'newest.example')
    .execute();
  assert.deepEqual(await nextOf('owner'), {
    domain: { id: newest, may_send: false, dns_provider: 'Cloudflare' },
    has_webhook: true,
    has_colleague: true,
  });
  await database
    .updateTable('domains')
    .set({ status: 'verified' })
    .where('projectId', '=', uuid)
    .where('name', '=', 'first.example')
    .execute();
  assert.deepEqual((await nextOf('viewer'))?.domain, { id: first, may_send: true, dns_provider: null });
  const hide = (hidden: boolean) => dashboard.as('viewer').request('PUT', path, { body: { hidden } });
  assert.equal((await hide(true)).status, 204);
  assert.equal(await nextOf('viewer'), null);
  assert.notEqual(await nextOf('owner'), null, 'hidden from one user alone');
  await hide(false);
  assert.notEqual(await nextOf('viewer'), null);
  assert.equal((await dashboard.as('other').request('PUT', path, { body: { hidden: true } })).status, 404);
  // The only member of the other organization has no colleague, until an invitation is open.
  const foreign = `/projects/${dashboard.foreignProjectId}/start`;
  const hasColleague = async () =>
    (await dashboard.as('other').get<StartProgress>(foreign)).body.next?.has_colleague;
  assert.equal(await hasColleague(), false);
  await dashboard.as('other').post(`/organizations/${otherOrganization.id}/invitations`, {
    email: 'bob@acme.example',
    role: 'viewer',
  });
  assert.equal(await hasColleague(), true);
});

test('the overview counts outcomes by interval, and the intervals add up to the total', async () => {
  const projectId = dashboard.project.id;
  const { database } = dashboard.db;
  const before = (await read('24h')).total;
  await queueEmailWith(database, ['sending', 'sent', 'delivered', 'complained'], { projectId });
  await queueEmailWith(database, ['sending', 'bounced'], { projectId });
  for (const [range, steps] of [
    ['24h', 24],
    ['7d', 7],
    ['30d', 30],
  ] as const) {
    const overview = await read(range);
    assert.equal(overview.steps.length, steps);
    assert.equal(overview.total.emails, before.emails + 2);
    assert.equal(overview.total.complained, before.complained + 1);
    assert.equal(overview.total.bounced, before.bounced + 1);
    for (const name of ['emails', 'delivered', 'bounced', 'complained'] as const)
      assert.equal(
        overview.steps.reduce((sum, step) => sum + step[name], 0),
        overview.total[name],
      );
  }
});

test('the overview shows how many recipients are waiting, and since when the oldest waits', async () => {
  const { queue } = await read('24h');
  const { state, recipients } = queue.counts[0] ?? assert.fail();
  assert.ok(state === 'waiting' && recipients >= 1);
  assert.match(queue.oldest?.id ?? '', /^em_/);
  assert.equal(queue.is_longer, false);
});

test('the overview lists problems that need attention', async () => {
  const { database } = dashboard.db;
  const projectId = dashboard.project.id;
  const { body: key } = await dashboard
    .as('owner')
    .post<{ id: string }>(`/projects/${dashboard.projectId}/api-keys`, {
      name: 'staging',
      expires_at: new Date(Date.now() + 86_400_000).toISOString(),
    });
  const { body: domain } = await dashboard
    .as('owner')
    .post<{ id: string }>(`/projects/${dashboard.projectId}/domains`, { domain: 'acme.example' });
  await database
    .updateTable('domains')
    .set({ status: 'warning', warningSince: new Date() })
    .where('projectId', '=', projectId)
    .execute();
  // The domain may send although its DNS records are not published.
  await dashboard.as('owner').post(`/projects/${dashboard.projectId}/domains`, { domain: 'manual.example' });
  await verifyManually(database, projectId, 'manual.example');
  const fixBy = '2026-12-30T12:00:00.000Z';
  // Records that are not required need no attention, and do not use up the limit.
  for (let at = 0; at < 6; at++) {
    const name = `dmarc${at}.example`;
    const checks = {
      [`SPF send.${name}`]: { status: 'verified', found: ['"fixBy":"{', '\\'], error: null },
      [`DMARC _dmarc.${name}`]: { status: 'verified', found: [], error: null, fixBy },
    };
    await newDomain(database, projectId, name, { status: 'verified', checks: JSON.stringify(checks) });
  }
  const { body: tolerated } = await dashboard
    .as('owner')
    .post<{ id: string }>(`/projects/${dashboard.projectId}/domains`, { domain: 'tolerated.example' });
  const check = {
    status: 'verified',
    found: ['\0', '}"{\\'],
    error: null,
    rules: 2,
    fixBy,
  };
  await database
    .updateTable('domains')
    .set({ status: 'verified', checks: JSON.stringify({ 'SPF send.tolerated.example': check }) })
    .where('projectId', '=', projectId)
    .where('name', '=', 'tolerated.example')
    .execute();
  const { needs } = await read('7d');
  assert.equal(
    needs[2]?.text,
    'Receivers reject DNS records of tolerated.example. Correct them by 30 Dec 2026.',
  );
  assert.deepEqual(
    needs.map(({ kind, tone, id }) => ({ kind, tone, id })),
    [
      { kind: 'paused', tone: 'bad', id: null },
      { kind: 'domain', tone: 'bad', id: domain.id },
      { kind: 'domain', tone: 'warn', id: tolerated.id },
      { kind: 'api-key', tone: 'warn', id: key.id },
    ],
  );
  const path = `/projects/${dashboard.projectId}/snoozes`;
  const hidden = async () => (await read('7d')).needs.filter((need) => need.snoozed_until !== null);
  const { key: snoozed = '', level = 0 } = needs[3] ?? {};
  await dashboard.as('owner').request('PUT', path, { body: { key: snoozed, level, days: 7 } });
  assert.deepEqual(await hidden(), [], 'hidden from the owner alone');
  const { status } = await dashboard
    .as('viewer')
    .request('PUT', path, { body: { key: snoozed, level, days: 7 } });
  assert.deepEqual([status, (await hidden()).map(({ kind }) => kind)], [204, ['api-key']]);
  const { status: tooLong } = await dashboard
    .as('viewer')
    .request('PUT', path, { body: { key: snoozed, level, days: 31 } });
  assert.equal(tooLong, 422);
});

test('the metrics cover their period up to now, and percentiles are null where nothing was counted', async () => {
  const { db, organization } = dashboard;
  const empty = encodeId('prj', await newProject(db.database, undefined, undefined, organization.uuid));
  for (const [range, least, most] of [
    ['24h', 24, 24],
    // Today has up to four steps of six hours.
    ['7d', 25, 28],
    ['30d', 30, 30],
    ['90d', 90, 90],
    ['1y', 52, 52],
  ] as const) {
    const { status, body } = await dashboard
      .as('viewer')
      .get<Metrics>(`/projects/${empty}/metrics?range=${range}&by=tag`);
    assert.equal(status, 200);
    const { length } = body.steps;
    assert.ok(length >= least && length <= most, `${range}: ${length}`);
    assert.deepEqual(body.parts, []);
    assert.deepEqual(body.all.steps.p90, Array(length).fill(null));
  }
});

test('members of another organization cannot see the overview and the metrics of a project', async () => {
  const path = `/projects/${dashboard.projectId}/overview`;
  assert.equal((await dashboard.as('other').get(path)).status, 404);
  assert.equal((await dashboard.as('other').get(`/projects/${dashboard.projectId}/metrics`)).status, 404);
});
