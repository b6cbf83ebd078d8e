import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type DnsServer, publish, startDnsServer } from '../../../../../test/support/dns-server.ts';
import type { DashboardDomain, DashboardDomainList } from '../../../../contract/dashboard/domains.ts';
import type { Domain } from '../../../../contract/domains.ts';
import { changeProjectSettings } from '../../../../accounts/projects/project-settings.ts';
import { newUuid } from '../../../../model/ids.ts';
import { startDashboard, type TestDashboard } from '../dashboard.fixture.ts';

let dashboard: TestDashboard;
let dns: DnsServer;
let path: string;
before(async () => {
  dns = await startDnsServer();
  dashboard = await startDashboard({ dns: dns.address });
  path = `/projects/${dashboard.projectId}/domains`;
});
after(async () => {
  await dashboard[Symbol.asyncDispose]();
  await dns[Symbol.asyncDispose]();
});

const newName = () => `acme-${newUuid().slice(-12)}.example`;
const add = async (domain = newName()) =>
  (await dashboard.as('developer').post<Domain>(path, { domain })).body;
const show = async ({ id }: { id: string }) =>
  (await dashboard.as('viewer').get<DashboardDomain>(`${path}/${id}`)).body;
const check = async ({ id }: { id: string }) =>
  (await dashboard.as('developer').post<DashboardDomain>(`${path}/${id}/check`)).body;
const list = async () => (await dashboard.as('viewer').get<DashboardDomainList>(path)).body.data;
const summaryOf = async ({ id }: { id: string }) => (await list()).find((one) => one.id === id);

describe('a domain', () => {
  test('is listed after the hosted domain, and is shown with the records to publish', async () => {
    const added = await add();
    const below = await add(`mail.${added.domain}`);
    assert.equal((await show(below)).organizational_domain, added.domain);
    const [hosted] = await list();
    assert.ok(hosted?.is_hosted);
    assert.partialDeepStrictEqual(await summaryOf(added), {
      domain: added.domain,
      status: 'pending',
      is_rotating_dkim: false,
      warning_until: null,
      last_checked_at: null,
    });
    const shown = await show(added);
    assert.deepEqual(shown.records, added.records);
    assert.ok(shown.next_check_at !== null && Date.parse(shown.next_check_at) > Date.parse(shown.created_at));
    assert.equal(shown.dmarc, null);
    assert.deepEqual(shown.mail, {
      accepted: false,
      delivered_here: false,
      reason: `${added.domain} is not verified yet. Publish its DNS records, then verify it.`,
    });
    assert.match(shown.zone_file, new RegExp(`^send\\.${added.domain}\\. 3600 IN TXT "v=spf1 `, 'm'));
    assert.deepEqual(shown.project_tracking, { opens: false, clicks: false });
  });

  test('with an invalid name is rejected with the field errors of the API', async () => {
    const developer = dashboard.as('developer');
    for (const domain of ['co.uk', 'not a domain', '']) {
      const { status, body } = await developer.post(path, { domain });
      assert.deepEqual([status, Object.keys(body['errors'] as object)], [422, ['domain']]);
    }
  });

  test('is verified against DNS, and the response contains the expected and the found values', async () => {
    const added = await add();
    publish(dns.zone, added.records);
    dns.zone[`_dmarc.${added.domain}`] = { TXT: ['v=DMARC1; p=quarantine; rua=mailto:d@reports.test'] };
    const looked = await check(added);
    assert.equal(looked.status, 'verified');
    assert.ok(looked.records.every(({ status }) => status === 'verified'));
    assert.partialDeepStrictEqual(looked.dmarc, {
      policy: 'quarantine',
      reports_to: ['d@reports.test'],
      next: { policy: 'reject', value: 'v=DMARC1; p=reject; rua=mailto:d@reports.test' },
    });
    assert.deepEqual(await show(added), looked);
  });

  test('that an earlier version verified shows until when wrong records are accepted', async () => {
    const added = await add();
    publish(dns.zone, added.records);
    await check(added);
    assert.equal((await summaryOf(added))?.fix_by, null);
    const { database } = dashboard.db;
    const row = await database
      .selectFrom('domains')
      .select('checks')
      .where('name', '=', added.domain)
      .executeTakeFirstOrThrow();
    // An earlier version did not record its rules.
    await database
      .updateTable('domains')
      .set({ checks: JSON.stringify(row.checks).replaceAll(',"rules":2', '') })
      .where('name', '=', added.domain)
      .execute();
    const name = `send.${added.domain}`;
    dns.zone[name] = { ...dns.zone[name], TXT: [`${dns.zone[name]?.TXT?.[0] ?? ''};`] };
    const looked = await check(added);
    assert.equal(looked.status, 'verified');
    const fixBy = looked.records.find(({ record }) => record === 'SPF')?.fix_by;
    assert.ok(fixBy !== undefined);
    assert.equal(looked.fix_by, fixBy);
    assert.equal((await summaryOf(added))?.fix_by, fixBy);
  });

  test('that has lost a record shows how long it can still send mail', async () => {
    const added = await add();
    publish(dns.zone, added.records);
    await check(added);
    delete dns.zone[`send.${added.domain}`];
    const looked = await check(added);
    assert.equal(looked.status, 'warning');
    assert.equal(
      Date.parse(looked.warning_until ?? ''),
      Date.parse(looked.last_checked_at ?? '') + 72 * 3_600_000,
    );
    assert.equal((await summaryOf(added))?.warning_until, looked.warning_until);
  });

  test('is checked only once for concurrent requests', async () => {
    const added = await add();
    const name = `send.${added.domain}`;
    dns.zone[name] = { TXT: ['v=spf1 -all'], delayMs: 100 };
    await Promise.all(Array.from({ length: 8 }, () => check(added)));
    const looks = dns.questions.filter((question) => question === `TXT ${name}`).length;
    assert.ok(looks <= 2, `${looks} looks`);
  });

  test('shows the provider of its DNS zone as the last check found it', async () => {
    const added = await add();
    const below = await add(`mail.${added.domain}`);
    assert.equal((await show(below)).dns_provider, null);
    dns.zone[added.domain] = { NS: ['ns1.digitalocean.com', 'ns2.digitalocean.com'] };
    const provider = {
      name: 'DigitalOcean',
      url: `https://cloud.digitalocean.com/networking/domains/${added.domain}`,
    };
    assert.deepEqual((await check(below)).dns_provider, provider);
    assert.deepEqual((await show(below)).dns_provider, provider);
    dns.zone[added.domain] = { fault: 'servfail' };
    assert.equal((await check(below)).dns_provider, null);
    const { body } = await dashboard.project.client.get<object>(`/v1/domains/${below.id}`);
    assert.ok(!('dns_provider' in body));
  });

  test('is verified manually only by operators of the installation with the role developer in the project', async () => {
    const added = await add();
    const manual = `${path}/${added.id}/manual-verification`;
    for (const who of ['owner', 'operator'] as const)
      assert.equal((await dashboard.as(who).post(manual)).body['type'], '/errors/missing-role', who);
    const operator = await dashboard.newUser('developer', { isOperator: true });
    const foreign = `/projects/${dashboard.foreignProjectId}/domains/${added.id}/manual-verification`;
    assert.equal((await operator.post(foreign)).status, 404);
    assert.equal((await show(added)).status, 'pending');
    const { body } = await operator.post<DashboardDomain>(manual);
    assert.partialDeepStrictEqual(body, { status: 'verified', verified_by_hand: true, dkim_verified: false });
    const change = await dashboard.db.database
      .selectFrom('auditLog')
      .select(['actorId', 'targetName', 'after'])
      .where('action', '=', 'domain.verify-by-hand')
      .where('target', '=', added.id)
      .executeTakeFirstOrThrow();
    assert.deepEqual(change, {
      actorId: operator.userId,
      targetName: added.domain,
      after: { verified_by_hand: true },
    });
  });

  test('can be removed by an admin if it has no mailboxes', async () => {
    const added = await add();
    const { client } = dashboard.project;
    const mailbox = { local_part: 'me', domain_id: added.id };
    const { id } = (await client.post<{ id: string }>('/v1/mailboxes', mailbox)).body;
    assert.equal((await show(added)).has_mailboxes, true);
    const admin = dashboard.as('admin');
    const refused = await admin.delete(`${path}/${added.id}`);
    assert.deepEqual([refused.status, refused.body['type']], [400, '/errors/domain-in-use']);
    await client.delete(`/v1/mailboxes/${id}`);
    assert.equal((await admin.delete(`${path}/${added.id}`)).status, 204);
    assert.equal(await summaryOf(added), undefined);
  });
});

test('a DKIM key rotation can be completed or cancelled', async () => {
  const added = await add();
  publish(dns.zone, added.records);
  await check(added);
  const admin = dashboard.as('admin');
  const rotation = `${path}/${added.id}/dkim-rotation`;
  const rotating = (await admin.post<DashboardDomain>(rotation)).body;
  assert.deepEqual(
    rotating.records.slice(0, 2).map(({ rotation: state }) => state),
    [undefined, 'next'],
  );
  assert.equal((await summaryOf(added))?.is_rotating_dkim, true);
  assert.equal((await admin.delete<DashboardDomain>(rotation)).body.records[1]?.record, 'MAIL_FROM');

  publish(dns.zone, (await admin.post<DashboardDomain>(rotation)).body.records.slice(1, 2));
  const [signing, retiring] = (await check(added)).records;
  assert.deepEqual([signing?.rotation, retiring?.rotation], [undefined, 'retiring']);
  assert.ok(retiring?.keep_until !== undefined);
});

test('tracking of a domain is inherited from the project, or turned on or off for the domain', async () => {
  const added = await add();
  const { database } = dashboard.db;
  await changeProjectSettings(database, dashboard.project.id, { trackOpens: true });
  const { body } = await dashboard
    .as('admin')
    .request<DashboardDomain>('PUT', `${path}/${added.id}/tracking`, {
      body: { opens: 'inherit', clicks: 'on' },
    });
  assert.deepEqual(body.tracking, { opens: 'inherit', clicks: 'on' });
  assert.deepEqual(body.project_tracking, { opens: true, clicks: false });
  await changeProjectSettings(database, dashboard.project.id, { trackOpens: false });
});

describe('the hosted domain', () => {
  test('is shown without records and cannot be changed', async () => {
    const [hosted] = await list();
    assert.ok(hosted !== undefined);
    const shown = await show(hosted);
    assert.deepEqual([shown.records, shown.zone_file, shown.dmarc], [[], '', null]);
    const owner = dashboard.as('owner');
    const operator = await dashboard.newUser('developer', { isOperator: true });
    const asked = [
      owner.delete(`${path}/${hosted.id}`),
      operator.post(`${path}/${hosted.id}/manual-verification`),
      owner.post(`${path}/${hosted.id}/dkim-rotation`),
      owner.delete(`${path}/${hosted.id}/dkim-rotation`),
      owner.request('PUT', `${path}/${hosted.id}/tracking`, { body: { opens: 'on', clicks: 'on' } }),
    ];
    for (const { status, body } of await Promise.all(asked)) {
      assert.deepEqual([status, body['type']], [400, '/errors/hosted-domain-protected']);
    }
  });
});

test('a domain of another project is reported as unknown', async () => {
  const { id } = await add();
  const foreign = `/projects/${dashboard.foreignProjectId}/domains`;
  const other = dashboard.as('other');
  const asked = await Promise.all([
    other.get(`${foreign}/${id}`),
    other.post(`${foreign}/${id}/check`),
    other.delete(`${foreign}/${id}`),
    other.post(`${foreign}/${id}/dkim-rotation`),
    other.delete(`${foreign}/${id}/dkim-rotation`),
    other.request('PUT', `${foreign}/${id}/tracking`, { body: { opens: 'on', clicks: 'on' } }),
    other.get(`${path}/${id}`),
  ]);
  assert.deepEqual(
    asked.map(({ status }) => status),
    asked.map(() => 404),
  );
  assert.equal((await show({ id })).id, id);
});

test('viewers cannot change domains', async () => {
  const added = await add();
  const [viewer, developer] = [dashboard.as('viewer'), dashboard.as('developer')];
  const refused = await Promise.all([
    viewer.post(path, { domain: newName() }),
    viewer.post(`${path}/${added.id}/check`),
    developer.delete(`${path}/${added.id}`),
    developer.post(`${path}/${added.id}/dkim-rotation`),
    developer.request('PUT', `${path}/${added.id}/tracking`, { body: { opens: 'on', clicks: 'on' } }),
  ]);
  assert.deepEqual(
    refused.map(({ status, body }) => [status, body['type']]),
    refused.map(() => [403, '/errors/missing-role']),
  );
});
