import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { testDatabase } from '../../test/support/postgres.ts';
import { checkSecret } from '../db/seal.ts';
import { newUuid } from '../model/ids.ts';
import { dkimRecord } from '../rfc/dkim/record.ts';
import { signDkim } from '../rfc/dkim/sign.ts';
import { WARNING_MS } from './claim-state.ts';
import { createKey } from './dkim-key.ts';
import { DkimKeyring } from './dkim-keyring.ts';
import { ensureHostedDomain } from './hosted.ts';
import { verifyManually } from './verify-manually.ts';

const HOSTED = 'mail.example.com';
const db = await testDatabase();
after(() => db[Symbol.asyncDispose]());
const sealer = await checkSecret(db.database, 'a secret for these tests');
await ensureHostedDomain(db.database, sealer, HOSTED);

function setUp() {
  const clock = { nowMs: 0 };
  const projectId = newUuid();
  return {
    clock,
    keyring: new DkimKeyring(db.database, sealer, HOSTED, { nowMs: () => clock.nowMs }),
    projectId,
    // Unique for each test, because a name can have only one verified claim.
    shop: `shop-${projectId}.example`,
  };
}

async function addDomain(
  projectId: string,
  name: string,
  selectors: string[],
  status: 'pending' | 'verified' | 'failed' | 'warning' = 'verified',
  warningSince = new Date(),
): Promise<string> {
  const domainId = newUuid();
  const createdAt = new Date();
  await db.database
    .insertInto('domains')
    .values({ projectId, id: domainId, name, status, createdAt, verifiedAt: createdAt, warningSince })
    .execute();
  for (const selector of selectors) await addKey(projectId, domainId, selector);
  return domainId;
}

async function addKey(projectId: string, domainId: string, selector: string): Promise<void> {
  const row = await createKey(sealer, { projectId, domainId, selector }, 'ed25519-sha256');
  await db.database.insertInto('dkimKeys').values(row).execute();
}

const selectors = (keys: readonly { selector: string }[]) => keys.map(({ selector }) => selector);

describe('the keyring', () => {
  test("returns the hosted domain's keys for every project, RSA first, loaded once", async () => {
    const { keyring } = setUp();
    const keys = await keyring.keysFor(newUuid(), HOSTED);
    assert.deepEqual(selectors(keys), ['ph1r', 'ph1e']);
    assert.equal(keyring.keysFor(newUuid(), HOSTED), keys);
  });

  test('returns keys whose signatures match the published records', async () => {
    const { keyring, projectId } = setUp();
    const header = 'From: a@mail.example.com\r\nTo: b@example.net\r\n';
    const body = Buffer.from('Hi\r\n');
    const signatures = await signDkim({ header, body }, await keyring.keysFor(projectId, HOSTED), {
      timestamp: 1,
    });
    const rows = await db.database
      .selectFrom('dkimKeys')
      .selectAll()
      .where('selector', 'in', ['ph1r', 'ph1e'])
      .execute();
    const records = new Map(
      rows.map((row) => [`${row.selector}._domainkey.${HOSTED}`, dkimRecord(row.algorithm, row.publicKey)]),
    );
    const { results } = await dkimVerify(`${signatures}${header}\r\n${body}`, {
      strict: true,
      resolver: async (name: string) => [[records.get(name) ?? '']],
    });
    assert.deepEqual(
      results.map(({ status }) => status.result),
      ['pass', 'pass'],
    );
  });

  test("returns a project's own keys for its domain, and no keys of other projects", async () => {
    const { keyring, projectId, shop } = setUp();
    await addDomain(projectId, shop, ['mine']);
    await addDomain(newUuid(), shop, ['theirs'], 'pending');
    assert.deepEqual(selectors(await keyring.keysFor(projectId, shop)), ['mine']);
  });

  test('returns no keys for a domain that the project does not have', async () => {
    const { keyring, projectId } = setUp();
    assert.deepEqual(await keyring.keysFor(projectId, 'unknown.example'), []);
  });

  for (const [status, count] of [
    ['verified', 1],
    ['warning', 1],
    ['pending', 0],
    ['failed', 0],
  ] as const) {
    test(`returns ${count === 0 ? 'no keys' : 'the keys'} of a domain that is ${status}`, async () => {
      const { keyring, projectId, shop } = setUp();
      await addDomain(projectId, shop, ['one'], status);
      assert.equal((await keyring.keysFor(projectId, shop)).length, count);
    });
  }

  test('returns the keys of a manually verified domain only if manual verification counts', async () => {
    const { keyring, projectId, shop } = setUp();
    await addDomain(projectId, shop, ['one'], 'pending');
    await verifyManually(db.database, projectId, shop);
    const trusting = new DkimKeyring(db.database, sealer, HOSTED, { trustsManualVerification: true });
    assert.deepEqual(selectors(await trusting.keysFor(projectId, shop)), ['one']);
    assert.deepEqual(await keyring.keysFor(projectId, shop), []);
  });

  test('returns no keys for a domain with a warning for 72 hours, even if the domain was not checked again', async () => {
    const { keyring, projectId, shop } = setUp();
    await addDomain(projectId, shop, ['one'], 'warning', new Date(Date.now() - WARNING_MS));
    assert.deepEqual(await keyring.keysFor(projectId, shop), []);
  });

  test('returns the keys of an earlier hosted domain, for every project', async () => {
    const { keyring } = setUp();
    await ensureHostedDomain(db.database, sealer, 'earlier.example.com');
    assert.deepEqual(selectors(await keyring.keysFor(newUuid(), 'earlier.example.com')), ['ph1r', 'ph1e']);
  });

  test('returns no keys for a removed domain after two seconds', async () => {
    const { clock, keyring, projectId, shop } = setUp();
    const domainId = await addDomain(projectId, shop, ['one']);
    await keyring.keysFor(projectId, shop);
    await db.database.deleteFrom('domains').where('id', '=', domainId).execute();
    clock.nowMs = 2_000;
    assert.deepEqual(await keyring.keysFor(projectId, shop), []);
  });

  test('finds a new key within two seconds', async () => {
    const { clock, keyring, projectId, shop } = setUp();
    const domainId = await addDomain(projectId, shop, ['one']);
    await keyring.keysFor(projectId, shop);
    await addKey(projectId, domainId, 'two');
    clock.nowMs = 2_000;
    assert.deepEqual(selectors(await keyring.keysFor(projectId, shop)), ['one', 'two']);
  });

  test('rejects a key that was moved to another row', async () => {
    const { keyring, projectId, shop } = setUp();
    const domainId = await addDomain(projectId, shop, ['one']);
    await db.database
      .updateTable('dkimKeys')
      .set({ selector: 'two' })
      .where('domainId', '=', domainId)
      .execute();
    await assert.rejects(async () => keyring.keysFor(projectId, shop), /another context/);
  });
});
