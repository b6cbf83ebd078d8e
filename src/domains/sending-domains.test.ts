import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { testDatabase } from '../../test/support/postgres.ts';
import { newUuid } from '../model/ids.ts';
import { SendingDomains } from './sending-domains.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());

type Status = 'pending' | 'verified' | 'failed' | 'warning';

async function addDomain(projectId: string, name: string, status: Status): Promise<void> {
  await db.database
    .insertInto('domains')
    .values({ projectId, id: newUuid(), name, status, createdAt: new Date(), verifiedAt: null })
    .execute();
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
  const domains = new SendingDomains(db.database, HOSTED, () => clock.nowMs);
  return { clock, domains, projectId: newUuid() };
}

describe('a project may send from', () => {
  test('the hosted domain, which is known at once', () => {
    const { domains, projectId } = setUp();
    assert.deepEqual(domains.find(projectId, HOSTED), { allowed: true, isHosted: true });
  });

  for (const [status, allowed] of [
    ['verified', true],
    ['warning', true],
    ['pending', false],
    ['failed', false],
  ] as const) {
    test(`its own domain that is ${status}: ${allowed ? 'yes' : 'no'}`, async () => {
      const { domains, projectId } = setUp();
      await addDomain(projectId, 'shop.example', status);
      assert.deepEqual(await domains.find(projectId, 'shop.example'), { allowed, isHosted: false });
    });
  }

  test("neither another project's domain, nor one that nobody has, nor one below its own", async () => {
    const { domains, projectId } = setUp();
    await addDomain(newUuid(), 'other.example', 'verified');
    await addDomain(projectId, 'shop.example', 'verified');
    for (const name of ['other.example', 'nobody.example', 'sub.shop.example', `sub.${HOSTED}`]) {
      assert.deepEqual(await domains.find(projectId, name), { allowed: false, isHosted: false }, name);
    }
  });
});

describe('what was asked a moment ago', () => {
  test('is known at once', async () => {
    const { domains, projectId } = setUp();
    await addDomain(projectId, 'shop.example', 'verified');
    await domains.find(projectId, 'shop.example');
    assert.deepEqual(domains.find(projectId, 'shop.example'), { allowed: true, isHosted: false });
  });

  test('is asked again after two seconds', async () => {
    const { clock, domains, projectId } = setUp();
    await addDomain(projectId, 'shop.example', 'verified');
    await domains.find(projectId, 'shop.example');
    await setStatus(projectId, 'shop.example', 'failed');
    clock.nowMs = 2_000;
    assert.deepEqual(await domains.find(projectId, 'shop.example'), { allowed: false, isHosted: false });
  });

  test('was a refusal, and is asked again at once', async () => {
    const { domains, projectId } = setUp();
    await addDomain(projectId, 'shop.example', 'pending');
    await domains.find(projectId, 'shop.example');
    await setStatus(projectId, 'shop.example', 'verified');
    assert.deepEqual(await domains.find(projectId, 'shop.example'), { allowed: true, isHosted: false });
  });
});
