import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { publish, startDnsServer } from '../../test/support/dns-server.ts';
import { eventually } from '../../test/support/eventually.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import type { Domain, DomainRecord } from '../contract/domains.ts';
import { DAY_MS } from '../model/day.ts';
import { decodeId, newUuid } from '../model/ids.ts';
import { DnsResolver } from '../net/dns.ts';
import { DomainSchedule } from './check-schedule.ts';
import { DkimKeyring } from './dkim-keyring.ts';
import { KEEP_RETIRING_MS } from './dkim-rotation.ts';
import { Domains } from './domains.ts';
import { ensureHostedDomain } from './hosted.ts';

const MINUTE_MS = 60_000;
const HOSTED_DOMAIN = 'hosted.example';

const dns = await startDnsServer();
after(() => dns[Symbol.asyncDispose]());
const db = await sealedDatabase();
after(() => db[Symbol.asyncDispose]());
const { database, sealer } = db;
await ensureHostedDomain(database, sealer, HOSTED_DOMAIN);

const uuidOf = ({ id }: Domain) => decodeId('dom', id) as string;
const keyRecords = ({ records }: Domain) => records.filter(({ record }) => record === 'DKIM');
const found = (record: DomainRecord | undefined): DomainRecord => {
  assert.ok(record);
  return record;
};
const nextRecord = (domain: Domain) => found(domain.records.find(({ rotation }) => rotation === 'next'));
const selectorOf = ({ host }: DomainRecord) => host.split('.')[0];

/** A project with a verified domain, and a clock that the test controls. */
async function start() {
  const projectId = await newProject(database, newUuid(), 'paid');
  let nowMs = Date.now();
  const options = {
    database,
    sealer,
    hostedDomain: HOSTED_DOMAIN,
    trustsManualVerification: false,
    nowMs: () => nowMs,
    dnsOf: () => new DnsResolver(dns.address),
    mailAccess: { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] },
    logger: pino({ level: 'silent' }),
  };
  const domains = new Domains({ ...options, complaintAddressOf: () => '' });
  const schedule = new DomainSchedule(options);
  const added = await domains.create(projectId, { domain: `d-${newUuid().slice(-12)}.example` });
  const id = uuidOf(added);
  publish(dns.zone, added.records);
  const shown = async (domain: Promise<Domain | null>): Promise<Domain> => {
    const there = await domain;
    assert.ok(there !== null);
    return there;
  };
  const verify = () => shown(domains.verify(projectId, id));
  const domain = await verify();
  assert.equal(domain.status, 'verified');
  return {
    projectId,
    id,
    domains,
    domain,
    verify,
    get: () => shown(domains.get(projectId, id)),
    rotate: () => shown(domains.startDkimRotation(projectId, id)),
    cancel: () => shown(domains.cancelDkimRotation(projectId, id)),
    /** The selectors of the keys that a newly started worker signs with. */
    async signingWith() {
      const keys = await new DkimKeyring(database, sealer, HOSTED_DOMAIN).keysFor(projectId, domain.domain);
      return keys.map(({ selector }) => selector);
    },
    async pass(ms: number) {
      nowMs += ms;
      await schedule.tick();
    },
    nowMs: () => nowMs,
    keys: () =>
      database
        .selectFrom('dkimKeys')
        .select(['selector', 'state'])
        .where('domainId', '=', id)
        .orderBy('state')
        .execute(),
    async changes() {
      const { rows } = await sql<{ action: string; actor: string; before: unknown; after: unknown }>`
        select action, actor_kind as actor, before, after from audit_log
        where target = ${domain.id} and action like '%rotation%' order by id`.execute(database);
      return rows;
    },
  };
}

describe('the next key', () => {
  test('has a record next to the record of the signing key, and its record is not required', async () => {
    const { rotate, verify, signingWith, domain } = await start();
    const [first] = keyRecords(domain);
    const rotating = await rotate();
    const [signing, next] = keyRecords(rotating);
    assert.deepEqual(signing, first);
    assert.deepEqual(
      [next?.status, next?.required, next?.rotation, next?.keep_until],
      ['pending', false, 'next', undefined],
    );
    assert.notEqual(next?.value, signing?.value);

    const checked = await verify();
    assert.deepEqual([checked.status, checked.dkim_verified], ['verified', true]);
    assert.match(nextRecord(checked).error ?? '', /There is no TXT record/);
    assert.deepEqual(await signingWith(), [selectorOf(found(first))]);
  });

  test('signs once an automatic check finds its record, and the old key is retained for seven days', async () => {
    const { rotate, pass, get, signingWith, keys, nowMs, domain, changes } = await start();
    const next = nextRecord(await rotate());
    publish(dns.zone, [next]);
    await pass(2 * MINUTE_MS);
    const [signing, retiring] = keyRecords(await get());
    assert.deepEqual([signing?.name, signing?.status, signing?.required], [next.name, 'verified', true]);
    assert.equal(signing?.rotation, undefined);
    assert.deepEqual([retiring?.rotation, retiring?.required], ['retiring', false]);
    assert.equal(Date.parse(retiring?.keep_until ?? ''), nowMs() + KEEP_RETIRING_MS);
    assert.deepEqual(await signingWith(), [selectorOf(next)]);
    const before = selectorOf(found(keyRecords(domain)[0]));
    assert.deepEqual(await changes(), [
      {
        action: 'domain.dkim-rotation-start',
        actor: 'system',
        before: null,
        after: { next_selector: selectorOf(next) },
      },
      {
        action: 'domain.dkim-rotation-switch',
        actor: 'system',
        before: { selector: before },
        after: { selector: selectorOf(next) },
      },
    ]);

    // Nothing is signed with the old key any more, so its record can be removed now.
    delete dns.zone[retiring?.name ?? ''];
    await pass(KEEP_RETIRING_MS - 1);
    assert.equal((await get()).status, 'verified');
    assert.equal((await keys()).length, 2);
    await pass(1);
    assert.deepEqual(await keys(), [{ selector: selectorOf(next), state: 'active' }]);
    assert.equal(keyRecords(await get()).length, 1);
  });

  test('is checked less and less often, but the domain is still checked every day', async () => {
    const { rotate, pass, get } = await start();
    await rotate();
    const checks = new Set<string | null>();
    for (let day = 0; day < 3 * 24; day++) {
      await pass(DAY_MS / 24);
      checks.add((await get()).last_checked_at);
    }
    assert.ok(checks.size > 30, `${checks.size} checks in three days`);
    await pass(40 * DAY_MS);
    const before = (await get()).last_checked_at;
    await pass(1.2 * DAY_MS);
    assert.notEqual((await get()).last_checked_at, before);
  });

  test('is deleted when the rotation is cancelled, and the next rotation creates another key', async () => {
    const { rotate, cancel, verify, keys, changes, domain } = await start();
    const first = nextRecord(await rotate());
    assert.deepEqual(keyRecords(await cancel()), keyRecords(domain));
    publish(dns.zone, [first]);
    await verify();
    assert.equal((await keys()).length, 1);
    assert.notEqual(nextRecord(await rotate()).name, first.name);
    assert.deepEqual(
      (await changes()).map(({ action }) => action.replace('domain.dkim-rotation-', '')),
      ['start', 'cancel', 'start'],
    );
  });

  test('that already signs cannot be cancelled', async () => {
    const { rotate, cancel, verify, signingWith } = await start();
    const next = nextRecord(await rotate());
    publish(dns.zone, [next]);
    await verify();
    assert.equal(keyRecords(await cancel()).length, 2);
    assert.deepEqual(await signingWith(), [selectorOf(next)]);
  });

  test('is created only once for concurrent requests', async () => {
    const { rotate, keys } = await start();
    const all = await Promise.all([rotate(), rotate(), rotate()]);
    assert.equal(new Set(all.map((domain) => nextRecord(domain).name)).size, 1);
    assert.deepEqual(
      (await keys()).map(({ state }) => state),
      ['active', 'next'],
    );
  });

  test('is verified only by a record with its own value', async () => {
    const { rotate, verify, signingWith, domain } = await start();
    const next = nextRecord(await rotate());
    publish(dns.zone, [{ ...next, value: found(keyRecords(domain)[0]).value }]);
    const checked = await verify();
    assert.match(nextRecord(checked).error ?? '', /is not the one shown/);
    assert.deepEqual(await signingWith(), [selectorOf(found(keyRecords(domain)[0]))]);
  });

  test('is not created if the domain already has six keys', async () => {
    const { rotate, verify, domains, projectId, id } = await start();
    for (let at = 0; at < 5; at++) {
      publish(dns.zone, [nextRecord(await rotate())]);
      await verify();
    }
    await assert.rejects(domains.startDkimRotation(projectId, id), { code: 'bad-request' });
  });

  test("is not created for the hosted domain or another project's domain", async () => {
    const { domains, projectId, id } = await start();
    const [hosted] = (await domains.list(projectId)).data;
    assert.ok(hosted?.is_hosted);
    for (const change of ['startDkimRotation', 'cancelDkimRotation'] as const) {
      const refused = { code: 'hosted-domain-protected' };
      await assert.rejects(domains[change](projectId, uuidOf(hosted)), refused);
      assert.equal(await domains[change](newUuid(), id), null);
    }
  });
});

test('the retiring key is also deleted on time for a domain that is checked only on request', async () => {
  const { rotate, verify, pass, keys, get, domain } = await start();
  publish(dns.zone, [nextRecord(await rotate())]);
  await verify();
  for (const { name } of (await get()).records) delete dns.zone[name];
  await database
    .updateTable('domains')
    .set({ status: 'pending', pendingSince: new Date(0) })
    .where('id', '=', uuidOf(domain))
    .execute();
  await pass(1.2 * DAY_MS);
  assert.equal((await get()).status, 'failed');
  assert.equal((await keys()).length, 2);
  await pass(KEEP_RETIRING_MS);
  assert.equal((await get()).status, 'failed');
  assert.equal((await keys()).length, 1);
});

test('the record of a retired key does not protect the claim against another claim', async () => {
  const first = await start();
  const next = nextRecord(await first.rotate());
  publish(dns.zone, [next]);
  await first.verify();
  const second = await start();
  const claim = await second.domains.create(second.projectId, { domain: first.domain.domain });
  publish(
    dns.zone,
    claim.records.filter(({ record }) => record === 'DKIM'),
  );
  const verifySecond = () => second.domains.verify(second.projectId, uuidOf(claim));
  assert.equal((await verifySecond())?.status, 'pending');
  delete dns.zone[next.name];
  assert.equal((await verifySecond())?.status, 'verified');
  assert.equal((await first.get()).status, 'pending');
});

describe('concurrent changes', () => {
  test('leave exactly one signing key, whose record was found', async () => {
    const { rotate, cancel, verify, keys, get, signingWith } = await start();
    for (let round = 0; round < 8; round++) {
      const next = nextRecord(await rotate());
      publish(dns.zone, [next]);
      await Promise.all([verify(), cancel(), rotate(), verify(), cancel()]);
      const states = (await keys()).map(({ state }) => state);
      assert.equal(states.filter((state) => state === 'active').length, 1);
      const [signing] = keyRecords(await get());
      assert.ok(dns.zone[signing?.name ?? ''] !== undefined);
      assert.deepEqual(await signingWith(), [selectorOf(found(signing))]);
      await cancel();
      await database.deleteFrom('dkimKeys').where('state', '=', 'retiring').execute();
    }
  });

  test('leave the old key active if the process is killed, and the next check completes the rotation', async () => {
    const { rotate, verify, id, signingWith, domain } = await start();
    const next = nextRecord(await rotate());
    publish(dns.zone, [next]);
    const before = [selectorOf(found(keyRecords(domain)[0]))];
    await database.transaction().execute(async (tx) => {
      // This lock makes the check wait at the first key that it changes.
      await tx.selectFrom('dkimKeys').select('selector').where('domainId', '=', id).forUpdate().execute();
      const dying = assert.rejects(verify());
      const killed = await eventually(async () => {
        const { rows } = await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%update%dkim_keys%'`.execute(
          database,
        );
        return rows.length > 0;
      }, 5_000);
      assert.ok(killed);
      await dying;
    });
    assert.deepEqual(await signingWith(), before);
    await verify();
    assert.deepEqual(await signingWith(), [selectorOf(next)]);
  });
});
