import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { publish, startDnsServer } from '../../test/support/dns-server.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import type { Domain } from '../contract/domains.ts';
import { DAY_MS, HOUR_MS } from '../model/day.ts';
import { decodeId, newUuid } from '../model/ids.ts';
import { DnsResolver } from '../net/dns.ts';
import { DomainSchedule, type DomainScheduleOptions } from './check-schedule.ts';
import { createKey } from './dkim-key.ts';
import { Domains } from './domains.ts';
import { DkimKeyring } from './dkim-keyring.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID } from './hosted.ts';
import { addServiceDomain, readServiceDomain } from './own-service-domains.ts';
import { ensureServiceDomain, isInServiceUse, recordServiceMailDomain } from './service-domain.ts';

const MINUTE_MS = 60_000;
const HOSTED_DOMAIN = 'hosted.example';

const dns = await startDnsServer();
after(() => dns[Symbol.asyncDispose]());
const resolver = new DnsResolver(dns.address);

/** A separate installation whose clock the test controls. */
async function start(logged: string[] = []) {
  const stack = new AsyncDisposableStack();
  const { database, sealer } = stack.use(await sealedDatabase());
  await ensureHostedDomain(database, sealer, HOSTED_DOMAIN);
  let nowMs = Date.now();
  const options: DomainScheduleOptions = {
    database,
    dnsOf: () => resolver,
    mailAccess: { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] },
    hostedDomain: HOSTED_DOMAIN,
    logger: pino({ level: 'error' }, { write: (line: string) => void logged.push(line) }),
    nowMs: () => nowMs,
  };
  const domains = new Domains({
    ...options,
    sealer,
    trustsManualVerification: false,
    complaintAddressOf: () => '',
  });
  const newSchedule = (changes: Partial<DomainScheduleOptions> = {}) =>
    stack.use(new DomainSchedule({ ...options, ...changes }));
  const schedule = newSchedule();
  const projectId = await newProject(database, 'one', 'paid');
  const row = ({ id }: Domain) =>
    database
      .selectFrom('domains')
      .select(['status', 'nextCheckAt', 'lastCheckedAt', 'dkimVerified'])
      .where('id', '=', decodeId('dom', id) as string)
      .executeTakeFirstOrThrow();
  return {
    database,
    sealer,
    domains,
    schedule,
    newSchedule,
    projectId,
    row,
    nowMs: () => nowMs,
    add: (name = `d-${newUuid().slice(-12)}.example`) => domains.create(projectId, { domain: name }),
    verify: ({ id }: Domain) => domains.verify(projectId, decodeId('dom', id) as string),
    /** Advances the clock and runs the checks that are due. */
    async pass(ms: number) {
      nowMs += ms;
      await schedule.tick();
    },
    /** Milliseconds until the next check. */
    async pauseMs(domain: Domain) {
      const { nextCheckAt } = await row(domain);
      return nextCheckAt === null ? null : nextCheckAt.getTime() - nowMs;
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const about = (ms: number | null, expectedMs: number) =>
  assert.ok(
    ms !== null && Math.abs(ms - expectedMs) <= expectedMs * 0.11,
    `${ms} is not about ${expectedMs}`,
  );
const unpublish = ({ records }: Domain) => {
  for (const { name } of records) delete dns.zone[name];
};

describe('a claim', () => {
  test('is checked a minute after it was added, and is verified without a request by the user', async () => {
    await using all = await start();
    const domain = await all.add();
    publish(dns.zone, domain.records);
    await all.pass(0);
    assert.equal((await all.row(domain)).lastCheckedAt, null);
    await all.pass(2 * MINUTE_MS);
    assert.equal((await all.row(domain)).status, 'verified');
    about(await all.pauseMs(domain), DAY_MS);
  });

  test("of the installation is verified independently of a project's verified claim, and a copied claim is never checked", async () => {
    await using all = await start();
    const { database, sealer } = all;
    const name = 'both-of-them.example';
    const claim = await all.add(name);
    publish(dns.zone, claim.records);
    await all.verify(claim);
    const mailAccess = { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] };
    const options = { database, sealer, hostedDomain: HOSTED_DOMAIN, mailAccess };
    const own = await addServiceDomain(options, name);
    const statusOf = () => ensureServiceDomain(database, sealer, name, false);
    await all.pass(2 * MINUTE_MS);
    assert.equal(await statusOf(), 'pending');
    publish(
      dns.zone,
      own.records.filter(({ record }) => record === 'DKIM'),
    );
    await all.pass(6 * MINUTE_MS);
    assert.equal(await statusOf(), 'exists');
    const shown = await readServiceDomain(options, name);
    assert.deepEqual([shown?.status, shown?.records[0]?.status], ['verified', 'verified']);
    assert.equal((await all.row(claim)).status, 'verified');

    const copied = await all.add('copied.example');
    publish(dns.zone, copied.records);
    await all.verify(copied);
    assert.equal(await ensureServiceDomain(database, sealer, 'copied.example', false), 'copied');
    unpublish(copied);
    for (let day = 0; day < 5; day++) await all.pass(DAY_MS);
    assert.equal(await ensureServiceDomain(database, sealer, 'copied.example', false), 'exists');
  });

  test('with copied keys keeps signing with the copies until all records of its own key are found', async () => {
    await using all = await start();
    const { database, sealer } = all;
    const name = 'own-keys.example';
    const claim = await all.add(name);
    publish(dns.zone, claim.records);
    await all.verify(claim);
    assert.equal(await ensureServiceDomain(database, sealer, name, false), 'copied');
    const mailAccess = { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] };
    const options = { database, sealer, hostedDomain: HOSTED_DOMAIN, mailAccess, nowMs: all.nowMs };
    const add = () => addServiceDomain(options, name);
    const shown = () => readServiceDomain(options, name);
    const selectors = async () => {
      const keyring = new DkimKeyring(database, sealer, HOSTED_DOMAIN);
      const keys = await keyring.keysFor(HOSTED_PROJECT_ID, name);
      return keys.map(({ selector }) => `${selector}._domainkey`);
    };
    const isUsed = () => {
      const used = { projectId: all.projectId, id: decodeId('dom', claim.id) as string, name };
      return database.transaction().execute((tx) => isInServiceUse(tx, used));
    };
    await recordServiceMailDomain(database, name);
    const copied = await selectors();

    const own = await add();
    const [dkim] = own.records;
    assert.deepEqual([own.status, own.has_copied_keys, dkim?.status], ['pending', true, 'pending']);
    unpublish(claim);
    // Even after the checks have ended, missing records do not change the status of a domain with copied keys.
    for (let n = 0; n < 200 && (await shown())?.next_check_at !== null; n++) await all.pass(DAY_MS);
    assert.deepEqual([(await shown())?.status, await selectors()], ['failed', copied]);
    assert.equal(await ensureServiceDomain(database, sealer, name, false), 'exists');

    assert.deepEqual((await add()).records[0]?.value, dkim?.value);
    publish(
      dns.zone,
      own.records.filter(({ record }) => record === 'DKIM'),
    );
    await all.pass(2 * MINUTE_MS);
    // The copied keys still sign, because the record of the return path is missing: with the new key, the domain would be unverified.
    assert.deepEqual([(await shown())?.records[0]?.status, await selectors()], ['verified', copied]);
    assert.equal(await isUsed(), true);

    publish(
      dns.zone,
      own.records.filter(({ record }) => record !== 'DKIM'),
    );
    await all.pass(10 * MINUTE_MS);
    const done = await shown();
    assert.deepEqual([done?.status, done?.has_copied_keys], ['verified', false]);
    assert.deepEqual(await selectors(), [dkim?.host]);
    assert.equal(await isUsed(), false);
    const changes = await database.selectFrom('systemChanges').select('action').orderBy('id').execute();
    assert.deepEqual(
      changes.map(({ action }) => action),
      ['domain.copy-to-installation', 'domain.add-keys', 'domain.use-own-keys'],
    );
    await all.pass(2 * DAY_MS);
    assert.equal((await shown())?.status, 'verified');
  });

  test('of the installation whose checks have ended is checked again when the domain is added again', async () => {
    await using all = await start();
    const { database, sealer } = all;
    const mailAccess = { hostname: 'mx.hosted.example', webHost: 'mx.hosted.example', services: [] };
    const options = { database, sealer, hostedDomain: HOSTED_DOMAIN, mailAccess, nowMs: all.nowMs };
    const added = await addServiceDomain(options, 'late.example');
    await assert.rejects(addServiceDomain(options, 'late.example'), /already has the domain late\.example/);
    for (let n = 0; n < 200 && (await readServiceDomain(options, 'late.example'))?.status !== 'failed'; n++)
      await all.pass(DAY_MS);
    publish(dns.zone, added.records);
    await all.pass(365 * DAY_MS);
    const again = await addServiceDomain(options, 'late.example');
    assert.deepEqual([again.status, again.records[0]?.value], ['pending', added.records[0]?.value]);
    await all.pass(2 * MINUTE_MS);
    assert.equal((await readServiceDomain(options, 'late.example'))?.status, 'verified');
  });

  test('whose records are not published is checked less and less often, then never, and again on request', async () => {
    await using all = await start();
    const domain = await all.add();
    let checks = 0;
    let pauseMs = await all.pauseMs(domain);
    while (pauseMs !== null) {
      assert.ok(checks++ < 150);
      assert.equal((await all.row(domain)).status, 'pending');
      await all.pass(pauseMs + 1);
      pauseMs = await all.pauseMs(domain);
    }
    assert.ok(checks > 90, `${checks} checks`);
    assert.equal((await all.row(domain)).status, 'failed');
    await all.pass(365 * DAY_MS);
    assert.equal((await all.row(domain)).nextCheckAt, null);

    assert.equal((await all.verify(domain))?.status, 'pending');
    about(await all.pauseMs(domain), MINUTE_MS);
  });

  test('that lost its records is checked every hour, and pending after 72 hours', async () => {
    await using all = await start();
    const domain = await all.add();
    publish(dns.zone, domain.records);
    await all.verify(domain);
    unpublish(domain);
    await all.pass(1.2 * DAY_MS);
    let hours = 0;
    for (; (await all.row(domain)).status === 'warning'; hours++) {
      assert.ok(hours < 100);
      about(await all.pauseMs(domain), HOUR_MS);
      await all.pass((await all.pauseMs(domain)) as number);
    }
    assert.ok(hours >= 65 && hours <= 81, `${hours} checks`);
    assert.equal((await all.row(domain)).status, 'pending');
    about(await all.pauseMs(domain), MINUTE_MS);
    publish(dns.zone, domain.records);
    await all.pass(2 * MINUTE_MS);
    assert.equal((await all.row(domain)).status, 'verified');
  });

  test('keeps its status when DNS fails', async () => {
    await using all = await start();
    const domain = await all.add();
    publish(dns.zone, domain.records);
    await all.verify(domain);
    for (const { name } of domain.records) dns.zone[name] = { fault: 'servfail' };
    await all.pass(2 * DAY_MS);
    const { status, dkimVerified } = await all.row(domain);
    assert.deepEqual([status, dkimVerified], ['verified', true]);
    about(await all.pauseMs(domain), DAY_MS);
  });

  test('with two DKIM keys shows both records and is verified if either record is found', async () => {
    await using all = await start();
    const domain = await all.add();
    const domainId = decodeId('dom', domain.id) as string;
    const key = await createKey(
      all.sealer,
      { projectId: all.projectId, domainId, selector: 'second' },
      'rsa-sha256',
    );
    await all.database.insertInto('dkimKeys').values(key).execute();
    publish(dns.zone, domain.records);
    const seen = await all.verify(domain);
    const keys = seen?.records.filter(({ record }) => record === 'DKIM') ?? [];
    assert.deepEqual(keys.map(({ status }) => status).toSorted(), ['failed', 'verified']);
    assert.equal(seen?.status, 'verified');
    publish(
      dns.zone,
      keys.filter(({ status }) => status === 'failed'),
    );
    delete dns.zone[domain.records[0]?.name ?? ''];
    assert.equal((await all.verify(domain))?.status, 'verified');
  });
});

describe('due domains', () => {
  const checksOf = ({ records }: Domain) =>
    dns.questions.filter((question) => question === `TXT ${records[0]?.name}`).length;

  test('are checked once, even by several workers', async () => {
    await using all = await start();
    const domains = await Promise.all(Array.from({ length: 12 }, () => all.add()));
    const workers = Array.from({ length: 4 }, () => all.newSchedule({ nowMs: () => Date.now() + HOUR_MS }));
    await Promise.all(workers.flatMap((worker) => [worker.tick(), worker.tick()]));
    assert.deepEqual(
      domains.map(checksOf),
      domains.map(() => 1),
    );
  });

  test('are checked in batches until all are done', async () => {
    await using all = await start();
    const domains = await Promise.all(Array.from({ length: 20 }, () => all.add()));
    await all.pass(2 * MINUTE_MS);
    assert.equal(domains.filter((domain) => checksOf(domain) > 0).length, 16);
    await all.pass(0);
    assert.ok(domains.every((domain) => checksOf(domain) === 1));
  });

  test('are checked again later if their check failed, without delaying others', async () => {
    const logged: string[] = [];
    await using all = await start(logged);
    const [bad, good] = [await all.add(), await all.add()];
    const breaking = all.newSchedule({
      nowMs: () => Date.now() + 2 * MINUTE_MS,
      dnsOf(domain) {
        if (domain === bad.domain) throw new Error('broken');
        return resolver;
      },
    });
    await breaking.tick();
    assert.notEqual((await all.row(good)).lastCheckedAt, null);
    assert.equal((await all.row(bad)).lastCheckedAt, null);
    assert.equal(logged.length, 1);
    await all.pass(2 * MINUTE_MS);
    assert.equal((await all.row(bad)).lastCheckedAt, null);
    await all.pass(11 * MINUTE_MS);
    assert.notEqual((await all.row(bad)).lastCheckedAt, null);
  });

  test('do not include the hosted domain', async () => {
    await using all = await start();
    await all.pass(400 * DAY_MS);
    const { lastCheckedAt, status } = await all.database
      .selectFrom('domains')
      .select(['lastCheckedAt', 'status'])
      .where('name', '=', HOSTED_DOMAIN)
      .executeTakeFirstOrThrow();
    assert.deepEqual([lastCheckedAt, status], [null, 'verified']);
  });

  test('are found with an index', async () => {
    await using all = await start();
    await sql`set enable_seqscan = off`.execute(all.database);
    const { rows } = await sql<{ 'QUERY PLAN': string }>`explain select id from domains
      where next_check_at <= now() and project_id <> '00000000-0000-0000-0000-000000000000'
      order by next_check_at limit 16 for no key update skip locked`.execute(all.database);
    assert.match(JSON.stringify(rows), /domains_due/);
  });

  test('are not checked after shutdown, which does not wait for DNS', async () => {
    await using all = await start();
    const domain = await all.add();
    for (const { name } of domain.records) dns.zone[name] = { fault: 'silent' };
    const schedule = all.newSchedule({ nowMs: () => Date.now() + 2 * MINUTE_MS });
    const ticking = schedule.tick();
    const startedMs = performance.now();
    await schedule[Symbol.asyncDispose]();
    assert.ok(performance.now() - startedMs < 3_000);
    await schedule.tick();
    await ticking;
  });
});
