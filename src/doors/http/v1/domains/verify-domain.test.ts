import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { composingWith, NO_MESSAGE } from '../../../../../test/support/composing.ts';
import { HOSTED_DOMAIN, startRealApi, type TestProject } from '../../../../../test/support/api.ts';
import { type DnsZone, publish, startDnsServer } from '../../../../../test/support/dns-server.ts';
import { newAlias, newMailbox } from '../../../../../test/support/mail.ts';
import type { Domain, DomainRecord } from '../../../../contract/domains.ts';
import { WARNING_MS } from '../../../../domains/claim-state.ts';
import { DkimKeyring } from '../../../../domains/dkim-keyring.ts';
import { decodeId, newUuid } from '../../../../model/ids.ts';
import { composerOf } from '../../../../sending/deliver/compose-email.ts';

const dns = await startDnsServer();
after(() => dns[Symbol.asyncDispose]());
const api = await startRealApi({ dns: dns.address });
after(() => api[Symbol.asyncDispose]());
const { database } = api.db;

const newName = () => `acme-${newUuid().slice(-12)}.example`;
const newProject = () => api.newProject(`project ${newUuid()}`, 'paid');

async function add({ client }: TestProject, domain = newName()): Promise<Domain> {
  return (await client.post<Domain>('/v1/domains', { domain })).body;
}

async function verify({ client }: TestProject, { id }: Domain): Promise<Domain> {
  const { status, body } = await client.post<Domain>(`/v1/domains/${id}/verify`);
  assert.equal(status, 200);
  return body;
}

const get = async ({ client }: TestProject, { id }: Domain) =>
  (await client.get<Domain>(`/v1/domains/${id}`)).body;

function unpublish(zone: DnsZone, { records }: Domain, kinds = ['DKIM', 'MAIL_FROM', 'SPF']): void {
  for (const { record, name } of records) if (kinds.includes(record)) delete zone[name];
}

/** Creates a project with a verified domain whose records are published. */
async function verified(name = newName()): Promise<{ project: TestProject; domain: Domain }> {
  const project = await newProject();
  const added = await add(project, name);
  publish(dns.zone, added.records);
  const domain = await verify(project, added);
  assert.equal(domain.status, 'verified');
  return { project, domain };
}

const flags = ({ status, dkim_verified, spf_verified, mail_from_verified }: Domain) => [
  status,
  dkim_verified,
  spf_verified,
  mail_from_verified,
];
const record = ({ records }: Domain, kind: DomainRecord['record']): DomainRecord => {
  const found = records.find((one) => one.record === kind);
  assert.ok(found);
  return found;
};

/** The time at which the domain was first verified. Unlike `verified_at`, this time is never cleared. */
async function firstVerifiedAt({ id }: Domain): Promise<string | undefined> {
  const row = await database
    .selectFrom('domainsFirstVerified')
    .select('verifiedAt')
    .where('domainId', '=', decodeId('dom', id) ?? '')
    .executeTakeFirst();
  return row?.verifiedAt.toISOString();
}

async function sendFrom({ client }: TestProject, domain: string) {
  return client.post('/v1/emails', { from: `me@${domain}`, to: ['you@example.net'], text: 'Hi' });
}

describe('records for mail apps', () => {
  const ofClients = ({ records }: Domain) => records.filter((one) => one.record === 'CLIENT');

  test('are listed once the domain has a mailbox or an alias, and do not affect verification', async () => {
    const { project, domain } = await verified();
    assert.deepEqual(ofClients(domain), []);
    const { mailboxId } = await newMailbox(api.db.database, { projectId: project.id });
    const place = { domainId: decodeId('dom', domain.id) ?? '', domain: domain.domain };
    await newAlias(api.db.database, 'team', [{ projectId: project.id, mailboxId }], place);
    const shown = ofClients(await get(project, domain));
    assert.equal(shown.length, 7);
    for (const { status, required } of shown) assert.deepEqual([status, required], ['pending', false]);
    const looked = await verify(project, domain);
    assert.equal(looked.status, 'verified');
    assert.ok(ofClients(looked).every(({ status }) => status === 'failed'));
    publish(dns.zone, shown);
    const published = await verify(project, domain);
    assert.ok(ofClients(published).every(({ status }) => status === 'verified'));
    assert.equal(published.status, 'verified');
  });
});

describe('verifying a domain', () => {
  test('without published records lists the missing records', async () => {
    const project = await newProject();
    const domain = await verify(project, await add(project));
    assert.deepEqual(flags(domain), ['pending', false, false, false]);
    assert.notEqual(domain.last_checked_at, null);
    assert.equal(domain.verified_at, null);
    for (const { status, found, error, name } of domain.records) {
      assert.deepEqual([status, found], ['failed', []]);
      assert.ok(error?.includes(name));
    }
    assert.equal((await sendFrom(project, domain.domain)).status, 422);
  });

  test('with all records published allows sending from the domain', async () => {
    const { project, domain } = await verified();
    assert.deepEqual(flags(domain), ['verified', true, true, true]);
    assert.ok(domain.dmarc_verified);
    assert.equal(domain.verified_at, domain.last_checked_at);
    assert.deepEqual(record(domain, 'DKIM').found, [record(domain, 'DKIM').value]);
    assert.deepEqual(await get(project, domain), domain);
    assert.equal((await sendFrom(project, domain.domain)).status, 202);
  });

  test('does not require the recommended records', async () => {
    const project = await newProject();
    const added = await add(project);
    publish(
      dns.zone,
      added.records.filter(({ required }) => required),
    );
    const domain = await verify(project, added);
    assert.deepEqual(flags(domain), ['verified', true, true, true]);
    assert.equal(domain.dmarc_verified, false);
  });

  for (const kind of ['DKIM', 'SPF', 'MAIL_FROM'] as const) {
    test(`fails if the record ${kind} is missing`, async () => {
      const project = await newProject();
      const added = await add(project);
      publish(
        dns.zone,
        added.records.filter((one) => one.record !== kind),
      );
      const domain = await verify(project, added);
      assert.equal(domain.status, 'pending');
      assert.equal(record(domain, kind).status, 'failed');
      assert.equal(flags(domain).filter((flag) => flag === true).length, 2);
    });
  }

  test('shows the value found in DNS', async () => {
    const project = await newProject();
    const added = await add(project);
    dns.zone[`send.${added.domain}`] = { MX: ['5 mx.other.example'], TXT: ['v=spf1 -all', 'v=spf1 ~all'] };
    const domain = await verify(project, added);
    assert.deepEqual(record(domain, 'MAIL_FROM').found, ['5 mx.other.example']);
    assert.match(record(domain, 'SPF').error ?? '', /2 SPF records/);
  });

  test('shows a found value truncated, with any bytes', async () => {
    const project = await newProject();
    const added = await add(project);
    const bytes = String.fromCharCode(...Array.from({ length: 128 }, (_, code) => code));
    const name = `send.${added.domain}`;
    dns.zone[name] = { TXT: [bytes, '\u{1f600}'.repeat(1_000), ...Array.from({ length: 20 }, String)] };
    const { found } = record(await verify(project, added), 'SPF');
    assert.ok(found.includes(bytes));
    assert.ok(found.length === 10 && found.every((text) => text.length <= 1_000));
  });

  test('after losing a record returns a warning, and sending stays possible for 72 hours', async () => {
    const { project, domain } = await verified();
    unpublish(dns.zone, domain, ['DKIM']);
    const warned = await verify(project, domain);
    assert.deepEqual(flags(warned), ['warning', false, true, true]);
    assert.equal(warned.verified_at, domain.verified_at);
    assert.equal((await sendFrom(project, domain.domain)).status, 202);
    await database
      .updateTable('domains')
      .set({ warningSince: new Date(Date.now() - WARNING_MS) })
      .where('id', '=', decodeId('dom', domain.id))
      .execute();
    const lost = await verify(project, domain);
    assert.deepEqual([lost.status, lost.verified_at], ['pending', null]);
    assert.equal(await firstVerifiedAt(domain), domain.verified_at);
    publish(dns.zone, [record(domain, 'DKIM')]);
    assert.equal((await verify(project, domain)).status, 'verified');
  });

  for (const fault of ['servfail', 'refused'] as const) {
    test(`changes no flag when DNS returns ${fault}`, async () => {
      const { project, domain } = await verified();
      const names = domain.records.map(({ name }) => name);
      for (const name of names) dns.zone[name] = { fault };
      const after = await verify(project, domain);
      assert.deepEqual(flags(after), flags(domain));
      assert.equal(after.verified_at, domain.verified_at);
      assert.ok(after.records.every(({ status }) => status === 'temporary_failure'));
      assert.notEqual(after.last_checked_at, domain.last_checked_at);
    });
  }

  test('changes no flag and finishes when DNS does not respond', async () => {
    const project = await newProject();
    const added = await add(project);
    for (const { name } of added.records) dns.zone[name] = { fault: 'silent' };
    const startedMs = performance.now();
    const domain = await verify(project, added);
    assert.ok(performance.now() - startedMs < 8_000);
    assert.deepEqual(flags(domain), ['pending', false, false, false]);
    assert.ok(domain.records.every(({ status }) => status === 'temporary_failure'));
  });

  test('forty times concurrently queries DNS at most ten times', async () => {
    const { project, domain } = await verified();
    dns.questions.length = 0;
    const answers = await Promise.all(Array.from({ length: 40 }, () => verify(project, domain)));
    assert.ok(answers.every(({ status }) => status === 'verified'));
    const looks = dns.questions.filter(
      (question) => question === `TXT ${record(domain, 'DKIM').name}`,
    ).length;
    assert.ok(looks >= 1 && looks <= 10, `${looks} looks`);
  });

  test('while the domain is being removed returns 200 or 404, and the domain is gone afterwards', async () => {
    const project = await newProject();
    const domain = await add(project);
    const [, answer] = await Promise.all([
      project.client.delete(`/v1/domains/${domain.id}`),
      project.client.post(`/v1/domains/${domain.id}/verify`),
    ]);
    assert.ok(answer.status === 200 || answer.status === 404);
    assert.equal((await project.client.get(`/v1/domains/${domain.id}`)).status, 404);
  });
});

describe('a domain that two projects claim', () => {
  async function verifiedClaims(name: string): Promise<string[]> {
    const rows = await database
      .selectFrom('domains')
      .select('projectId')
      .where('name', '=', name)
      .where('status', 'in', ['verified', 'warning'])
      .execute();
    return rows.map(({ projectId }) => projectId);
  }

  test('belongs to the project whose DKIM record is published', async () => {
    const first = await verified();
    const second = await newProject();
    const added = await add(second, first.domain.domain);
    unpublish(dns.zone, first.domain);
    publish(dns.zone, added.records);

    assert.deepEqual(flags(await verify(second, added)), ['verified', true, true, true]);
    const lost = await get(first.project, first.domain);
    assert.equal(lost.status, 'pending');
    assert.equal(lost.dkim_verified, false);
    assert.equal(lost.verified_at, null);
    assert.equal(await firstVerifiedAt(lost), first.domain.verified_at);
    assert.equal(record(lost, 'DKIM').status, 'failed');
    assert.equal((await sendFrom(second, added.domain)).status, 202);
  });

  test('stays with the first project while its DKIM record is published', async () => {
    const first = await verified();
    const second = await newProject();
    const added = await add(second, first.domain.domain);
    publish(dns.zone, [record(added, 'DKIM')]);

    const refused = await verify(second, added);
    assert.deepEqual(flags(refused), ['pending', false, true, true]);
    assert.match(record(refused, 'DKIM').error ?? '', /verified in another project/);
    assert.ok(record(refused, 'DKIM').error?.includes(record(first.domain, 'DKIM').name));
    assert.equal((await verify(first.project, first.domain)).status, 'verified');

    unpublish(dns.zone, first.domain, ['DKIM']);
    assert.equal((await verify(second, added)).status, 'verified');
    assert.deepEqual(await verifiedClaims(added.domain), [second.id]);
    assert.equal((await verify(first.project, first.domain)).status, 'pending');
  });

  test('stays with the first project while DNS returns an error for its record', async () => {
    const first = await verified();
    const second = await newProject();
    const added = await add(second, first.domain.domain);
    publish(dns.zone, [record(added, 'DKIM')]);
    dns.zone[record(first.domain, 'DKIM').name] = { fault: 'servfail' };
    const undecided = await verify(second, added);
    assert.equal(undecided.status, 'pending');
    assert.equal(record(undecided, 'DKIM').status, 'temporary_failure');
    assert.equal((await get(first.project, first.domain)).status, 'verified');
  });

  test('does not move to a project whose records are not all published', async () => {
    const first = await verified();
    const second = await newProject();
    const added = await add(second, first.domain.domain);
    unpublish(dns.zone, first.domain);
    publish(dns.zone, [record(added, 'DKIM')]);
    assert.equal((await verify(second, added)).status, 'pending');
    assert.equal((await get(first.project, first.domain)).status, 'verified');
  });

  test('is verified in only one project after concurrent requests', async () => {
    const name = newName();
    const projects = await Promise.all(Array.from({ length: 4 }, newProject));
    const domains = await Promise.all(projects.map((project) => add(project, name)));
    for (const { records } of domains)
      publish(
        dns.zone,
        records.filter(({ record: kind }) => kind === 'DKIM'),
      );
    publish(
      dns.zone,
      (domains[0] as Domain).records.filter(({ record: kind }) => kind !== 'DKIM'),
    );
    const verifyAll = () =>
      Promise.all(
        Array.from({ length: 5 }, () =>
          projects.map((project, at) => verify(project, domains[at] as Domain)),
        ).flat(),
      );
    await verifyAll();
    const [winner, ...more] = await verifiedClaims(name);
    assert.deepEqual(more, []);

    // The domain moves to another project during concurrent requests.
    const at = projects.findIndex(({ id }) => id === winner);
    unpublish(dns.zone, domains[at] as Domain, ['DKIM']);
    await verifyAll();
    await verifyAll();
    const [next, ...others] = await verifiedClaims(name);
    assert.deepEqual(others, []);
    assert.ok(next !== undefined && next !== winner);
  });
});

describe('mail from the domain of a project', () => {
  const selectorOf = (domain: Domain) => record(domain, 'DKIM').host.split('.')[0];

  async function compose(projectId: string, domain: string) {
    const content = {
      sender: `me@${domain}`,
      toList: ['you@example.net'],
      cc: [],
      replyTo: null,
      subject: 'Hi',
      html: null,
      text: 'Hi',
      headers: null,
      tracking: null,
      scheduledAt: null,
      ...NO_MESSAGE,
    };
    const email = { projectId, emailId: newUuid(), content, traceParent: null };
    const keyring = new DkimKeyring(database, api.sealer, HOSTED_DOMAIN);
    return composerOf(email, composingWith(api.db.database, api.sealer, keyring)).compose(0);
  }

  const results = async (message: Buffer) => {
    const resolver = async (name: string) => (dns.zone[name]?.TXT ?? []).map((text) => [text]);
    const verdict = await dkimVerify(message.toString('latin1'), { strict: true, resolver });
    return verdict.results.map(({ status, signingDomain, selector }) => [
      status.result,
      signingDomain,
      selector,
    ]);
  };

  test('is signed with the key of the project, and the published record verifies the signature', async () => {
    const { project, domain } = await verified();
    const composed = await compose(project.id, domain.domain);
    assert.ok(composed !== null);
    assert.deepEqual(await results(composed.data), [['pass', domain.domain, selectorOf(domain)]]);
    assert.equal(composed.mailFromDomain, record(domain, 'MAIL_FROM').name);
  });

  test('is not sent while the claim is not verified', async () => {
    const project = await newProject();
    const domain = await add(project);
    assert.equal(await compose(project.id, domain.domain), null);
  });

  test('is not sent after the domain is removed, and is signed with the new key once the domain is added and verified again', async () => {
    const { project, domain } = await verified();
    assert.equal((await project.client.delete(`/v1/domains/${domain.id}`)).status, 204);
    assert.equal(await compose(project.id, domain.domain), null);

    const again = await add(project, domain.domain);
    assert.equal(await compose(project.id, domain.domain), null);
    unpublish(dns.zone, domain);
    publish(dns.zone, again.records);
    await verify(project, again);
    const composed = await compose(project.id, domain.domain);
    assert.ok(composed !== null && selectorOf(again) !== selectorOf(domain));
    assert.deepEqual(await results(composed.data), [['pass', domain.domain, selectorOf(again)]]);
  });

  test('is not sent after another project has won the domain', async () => {
    const first = await verified();
    const second = await newProject();
    const added = await add(second, first.domain.domain);
    unpublish(dns.zone, first.domain);
    publish(dns.zone, added.records);
    await verify(second, added);
    assert.equal(await compose(first.project.id, added.domain), null);
    assert.notEqual(await compose(second.id, added.domain), null);
  });
});

describe('a domain that an earlier version verified', () => {
  /** Makes the last check of a domain one of an earlier version, and publishes an SPF record that was correct then. */
  async function verifiedEarlier(text = 'v=spf1 a:HOST ~all;') {
    const { project, domain } = await verified();
    const { name, value } = record(domain, 'SPF');
    const published = text.replace('HOST', value.split(' ')[1]?.slice(2) ?? '');
    dns.zone[name] = { ...dns.zone[name], TXT: [published] };
    const where = ['domains.id', '=', decodeId('dom', domain.id) ?? ''] as const;
    const { checks } = await database
      .selectFrom('domains')
      .select('checks')
      .where(...where)
      .executeTakeFirstOrThrow();
    const stored = Object.entries(checks as Record<string, object>).map(([key, check]) => [
      key,
      { ...check, rules: undefined },
    ]);
    await database
      .updateTable('domains')
      .set({ checks: JSON.stringify(Object.fromEntries(stored)) })
      .where(...where)
      .execute();
    return { project, domain, where };
  }

  test('stays verified for 30 days with a record that receivers reject, and says so', async () => {
    const { project, domain } = await verifiedEarlier();
    const after = await verify(project, domain);
    assert.deepEqual(flags(after), ['verified', true, true, true]);
    const spf = record(after, 'SPF');
    assert.deepEqual([spf.status, spf.error, spf.wrong_term], ['verified', null, '~all;']);
    assert.match(spf.advice?.join() ?? '', /"~all;" is not valid/);
    const inDays = (Date.parse(spf.fix_by ?? '') - Date.now()) / 86_400_000;
    assert.ok(inDays > 29.9 && inDays <= 30);
    assert.equal((await sendFrom(project, domain.domain)).status, 202);
    assert.equal(record(await verify(project, domain), 'SPF').fix_by, spf.fix_by);
  });

  test('follows the normal rule after the 30 days', async () => {
    const { project, domain, where } = await verifiedEarlier();
    await verify(project, domain);
    const { checks } = await database
      .selectFrom('domains')
      .select('checks')
      .where(...where)
      .executeTakeFirstOrThrow();
    const past = JSON.stringify(checks).replace(/"fixBy":"[^"]+"/, '"fixBy":"2026-01-01T00:00:00.000Z"');
    await database
      .updateTable('domains')
      .set({ checks: past })
      .where(...where)
      .execute();
    const after = await verify(project, domain);
    assert.deepEqual(flags(after), ['warning', true, false, true]);
    const spf = record(after, 'SPF');
    assert.deepEqual([spf.status, spf.advice, spf.fix_by], ['failed', undefined, undefined]);
    assert.match(spf.error ?? '', /"~all;" is not valid/);
  });

  test('follows the normal rule if the record was wrong by the earlier rules too', async () => {
    const { project, domain } = await verifiedEarlier('v=spf1 ~all');
    assert.deepEqual(flags(await verify(project, domain)), ['warning', true, false, true]);
  });

  test('keeps its name while its DKIM record is wrong only by the new rules', async () => {
    const { domain } = await verifiedEarlier('v=spf1 a:HOST ~all');
    const { name } = record(domain, 'DKIM');
    dns.zone[name] = { TXT: [`${record(domain, 'DKIM').value}; h=sha1`] };
    const other = await newProject();
    const claim = await add(other, domain.domain);
    publish(
      dns.zone,
      claim.records.filter(({ record: kind }) => kind === 'DKIM'),
    );
    assert.equal((await verify(other, claim)).status, 'pending');
  });
});

test('a domain that was verified after the change loses its status with such a record', async () => {
  const { project, domain } = await verified();
  const { name } = record(domain, 'SPF');
  dns.zone[name] = { ...dns.zone[name], TXT: [`${record(domain, 'SPF').value};`] };
  assert.deepEqual(flags(await verify(project, domain)), ['warning', true, false, true]);
});
