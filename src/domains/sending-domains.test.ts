import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { testDatabase } from '../../test/support/postgres.ts';
import { newDomain } from '../../test/support/projects.ts';
import { newUuid } from '../model/ids.ts';
import { WARNING_MS } from './claim-state.ts';
import { changeDomainTracking, SendingDomains, trustsManualVerification } from './sending-domains.ts';
import { verifyManually } from './verify-manually.ts';

const HOSTED = 'mail.example.com';
const AS_PROJECT = { trackOpens: null, trackClicks: null };
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());

type Status = 'pending' | 'verified' | 'failed' | 'warning';

async function addDomain(projectId: string, name: string, status: Status, warnedMs = 0): Promise<void> {
  const warningSince = status === 'warning' ? new Date(Date.now() - warnedMs) : null;
  await newDomain(db.database, projectId, name, { status, warningSince });
}

async function setStatus(projectId: string, name: string, status: Status): Promise<void> {
  await db.database
    .updateTable('domains')
    .set({ status })
    .where('projectId', '=', projectId)
    .where('name', '=', name)
    .execute();
}

function setUp() {
  const clock = { nowMs: 0 };
  const domains = new SendingDomains(db.database, HOSTED, { nowMs: () => clock.nowMs });
  // Unique for each test, because a name can have only one verified claim.
  const projectId = newUuid();
  return { clock, domains, projectId, shop: `shop-${projectId}.example` };
}

test('a domain that was verified by hand may send only outside production', async () => {
  const { projectId, shop } = setUp();
  await addDomain(projectId, shop, 'pending');
  assert.equal(
    (await new SendingDomains(db.database, HOSTED, { trustsManualVerification: true }).find(projectId, shop))
      .allowed,
    false,
  );
  assert.ok(await verifyManually(db.database, projectId, shop));
  for (const status of ['pending', 'warning', 'failed', 'verified'] as const) {
    await setStatus(projectId, shop, status);
    const may = async (environment: 'development' | 'production') =>
      (
        await new SendingDomains(db.database, HOSTED, {
          trustsManualVerification: trustsManualVerification({ environment }),
        }).find(projectId, shop)
      ).allowed;
    assert.deepEqual(
      [await may('development'), await may('production')],
      [true, status === 'verified'],
      status,
    );
  }
  assert.equal(await verifyManually(db.database, newUuid(), shop), null);
});

describe('a project may send from', () => {
  test('the hosted domain, without a query', () => {
    const { domains, projectId } = setUp();
    assert.deepEqual(domains.find(projectId, HOSTED), { allowed: true, isHosted: true, ...AS_PROJECT });
  });

  for (const [status, allowed] of [
    ['verified', true],
    ['warning', true],
    ['pending', false],
    ['failed', false],
  ] as const) {
    test(`its own domain with the status ${status}: ${allowed ? 'yes' : 'no'}`, async () => {
      const { domains, projectId, shop } = setUp();
      await addDomain(projectId, shop, status);
      assert.deepEqual(await domains.find(projectId, shop), { allowed, isHosted: false, ...AS_PROJECT });
    });
  }

  test('its own domain with a warning for less than 72 hours, but not after 72 hours', async () => {
    const { domains, projectId, shop } = setUp();
    await addDomain(projectId, shop, 'warning', WARNING_MS - 60_000);
    await addDomain(projectId, `old.${shop}`, 'warning', WARNING_MS);
    assert.equal((await domains.find(projectId, shop)).allowed, true);
    assert.equal((await domains.find(projectId, `old.${shop}`)).allowed, false);
  });

  test('neither a domain of another project, nor an unknown domain, nor a subdomain of its own domain', async () => {
    const { domains, projectId, shop } = setUp();
    await addDomain(newUuid(), 'other.example', 'verified');
    await addDomain(projectId, shop, 'verified');
    for (const name of ['other.example', 'unknown.example', `sub.${shop}`, `sub.${HOSTED}`]) {
      assert.deepEqual(
        await domains.find(projectId, name),
        { allowed: false, isHosted: false, ...AS_PROJECT },
        name,
      );
    }
  });
});

test('the tracking settings of a domain are returned with the permission to send', async () => {
  const { domains, projectId, shop } = setUp();
  await addDomain(projectId, shop, 'verified');
  await changeDomainTracking(db.database, projectId, shop, { trackOpens: true, trackClicks: false });
  assert.deepEqual(await domains.find(projectId, shop), {
    allowed: true,
    isHosted: false,
    trackOpens: true,
    trackClicks: false,
  });
});

describe('a recent result', () => {
  test('is returned from the cache', async () => {
    const { domains, projectId, shop } = setUp();
    await addDomain(projectId, shop, 'verified');
    await domains.find(projectId, shop);
    assert.deepEqual(domains.find(projectId, shop), { allowed: true, isHosted: false, ...AS_PROJECT });
  });

  test('expires after two seconds', async () => {
    const { clock, domains, projectId, shop } = setUp();
    await addDomain(projectId, shop, 'verified');
    await domains.find(projectId, shop);
    await setStatus(projectId, shop, 'failed');
    clock.nowMs = 2_000;
    assert.deepEqual(await domains.find(projectId, shop), { allowed: false, isHosted: false, ...AS_PROJECT });
  });

  test('is not cached if the project may not send from the domain', async () => {
    const { domains, projectId, shop } = setUp();
    await addDomain(projectId, shop, 'pending');
    await domains.find(projectId, shop);
    await setStatus(projectId, shop, 'verified');
    assert.deepEqual(await domains.find(projectId, shop), { allowed: true, isHosted: false, ...AS_PROJECT });
  });
});
