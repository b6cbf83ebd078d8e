import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { testDatabase } from '../../test/support/postgres.ts';
import type { Database } from '../db/database.ts';
import { checkSecret } from '../db/seal.ts';
import { ensureHostedDomain, HOSTED_PROJECT_ID, isOperatorAddress } from './hosted.ts';
import { addServiceDomain, claimDueServiceDomains } from './own-service-domains.ts';

const SECRET = 'a secret for these tests';

function keysOf(database: Database) {
  return database
    .selectFrom('dkimKeys')
    .innerJoin('domains', 'domains.id', 'dkimKeys.domainId')
    .select([
      'name',
      'status',
      'dkimKeys.projectId',
      'selector',
      'algorithm',
      'publicKey',
      'privateKeySealed',
    ])
    .orderBy('name')
    .orderBy('selector')
    .execute();
}

describe('the hosted domain', () => {
  test('exists after the first start, verified, with a key of each kind', async () => {
    await using db = await testDatabase();
    await ensureHostedDomain(db.database, await checkSecret(db.database, SECRET), 'mail.example.com');
    const keys = await keysOf(db.database);
    assert.deepEqual(
      keys.map(({ name, status, projectId, selector, algorithm }) => [
        name,
        status,
        projectId,
        selector,
        algorithm,
      ]),
      [
        ['mail.example.com', 'verified', HOSTED_PROJECT_ID, 'ph1e', 'ed25519-sha256'],
        ['mail.example.com', 'verified', HOSTED_PROJECT_ID, 'ph1r', 'rsa-sha256'],
      ],
    );
    assert.ok(keys.every(({ privateKeySealed }) => privateKeySealed.startsWith('v1.')));
  });

  test('is verified and no longer checked if an operator had added the domain for service mail', async () => {
    await using db = await testDatabase();
    const sealer = await checkSecret(db.database, SECRET);
    const mailAccess = { hostname: 'mx.example', webHost: 'mx.example', services: [] };
    const options = { database: db.database, sealer, hostedDomain: 'hosted.example', mailAccess };
    await addServiceDomain(options, 'mail.example.com');
    await ensureHostedDomain(db.database, sealer, 'mail.example.com');
    assert.deepEqual(
      (await keysOf(db.database)).map(({ name, status, projectId }) => [name, status, projectId]),
      [['mail.example.com', 'verified', HOSTED_PROJECT_ID]],
    );
    const later = new Date(Date.now() + 3_600_000);
    const due = await claimDueServiceDomains(db.database, { now: later, retryAt: later, limit: 10 });
    assert.deepEqual(due, []);
  });

  test('has the same keys after the next start', async () => {
    await using db = await testDatabase();
    const sealer = await checkSecret(db.database, SECRET);
    await ensureHostedDomain(db.database, sealer, 'mail.example.com');
    const before = await keysOf(db.database);
    await ensureHostedDomain(db.database, sealer, 'mail.example.com');
    assert.deepEqual(await keysOf(db.database), before);
  });

  test('is created only once by concurrent first starts', async () => {
    await using db = await testDatabase();
    const sealer = await checkSecret(db.database, SECRET);
    await Promise.all(
      Array.from({ length: 4 }, () => ensureHostedDomain(db.database, sealer, 'mail.example.com')),
    );
    assert.equal((await keysOf(db.database)).length, 2);
  });

  test('with a new name has its own keys, in addition to the keys of the earlier name', async () => {
    await using db = await testDatabase();
    const sealer = await checkSecret(db.database, SECRET);
    await ensureHostedDomain(db.database, sealer, 'mail.example.com');
    await ensureHostedDomain(db.database, sealer, 'post.example.com');
    const keys = await keysOf(db.database);
    assert.deepEqual([...new Set(keys.map(({ name }) => name))], ['mail.example.com', 'post.example.com']);
    assert.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 4);
  });
});

describe("the operator's local parts", () => {
  const cases: [localPart: string, operator: boolean][] = [
    ['po\u017ftmaster', true],
    ['\uff50\uff4f\uff53\uff54\uff4d\uff41\uff53\uff54\uff45\uff52', true],
    ['"postmaster "', true],
    ['postmaster', true],
    ['posthorn', true],
    ['Posthorn+x', true],
    ['abuse', true],
    ['mailer-daemon', true],
    ['hostmaster', true],
    ['webmaster', true],
    ['security', true],
    ['admin', true],
    ['administrator', true],
    ['root', true],
    ['ssladmin', true],
    ['noc', true],
    ['Admin+tls', true],
    ['administration', false],
    ['PostMaster', true],
    ['MAILER-DAEMON', true],
    ['abuse+tag', true],
    ['Abuse+a+b', true],
    ['"postmaster"', true],
    ['"post\\master+x"', true],
    ['postmasters', false],
    ['my-postmaster', false],
    ['post+master', false],
    ['+postmaster', false],
    ['hello', false],
    ['"hello"', false],
    ['"', false],
    ['', false],
  ];
  for (const [localPart, operator] of cases) {
    test(`${operator ? 'include' : 'do not include'} ${localPart || 'an empty local part'}`, () => {
      assert.equal(isOperatorAddress(localPart), operator);
    });
  }
});
