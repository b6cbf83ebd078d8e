import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { environmentOf, posthorn } from '../../../test/support/cli.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { TlsResults } from '../../sending/deliver/direct/tls-results.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
  const logger = { warn: () => {} };
  let now = new Date('2026-11-20T12:00:00Z');
  const results = new TlsResults({ database: db.database, logger, now: () => now });
  const good = { policyType: 'sts', mxHost: 'mx.dst.test', outcome: 'success' } as const;
  results.record({ ...good, policyDomain: 'dst.test' });
  results.record({ ...good, policyDomain: 'dst.test' });
  results.record({ ...good, policyDomain: 'dst.test', mxHost: '', outcome: 'sts-policy-fetch-error' });
  now = new Date('2026-11-21T12:00:00Z');
  // More results than fit on one page.
  for (let recipientIndex = 0; recipientIndex < 1_500; recipientIndex++)
    results.record({ ...good, policyDomain: `d${recipientIndex}.test` });
  await results.flush();
});
after(() => db[Symbol.asyncDispose]());

function results(...args: string[]) {
  return posthorn(environmentOf(db), 'tls-results', ...args);
}

test('tls-results lists results by day and domain, one kind per line', async () => {
  assert.equal(
    (await results('--day', '2026-11-20')).stdout,
    '2026-11-20\tdst.test\tsts\t-\tsts-policy-fetch-error\t1\n' +
      '2026-11-20\tdst.test\tsts\tmx.dst.test\tsuccess\t2\n',
  );
  const all = (await results()).stdout.trimEnd().split('\n');
  assert.equal(all.length, 1_502);
  assert.equal(new Set(all).size, 1_502);
  assert.match(String(all[2]), /^2026-11-21\td0\.test/);
});

test('tls-results --json prints one JSON object per line', async () => {
  const { stdout } = await results('--domain', 'Dst.test', '--json');
  const of = { day: '2026-11-20', policy_domain: 'dst.test', policy_type: 'sts' };
  assert.deepEqual(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
    [
      { ...of, mx_host: null, outcome: 'sts-policy-fetch-error', sessions: 1 },
      { ...of, mx_host: 'mx.dst.test', outcome: 'success', sessions: 2 },
    ],
  );
});

test('tls-results prints nothing if there are no results, and rejects an invalid day', async () => {
  assert.deepEqual(await results('--domain', 'none.test'), { code: 0, stdout: '', stderr: '' });
  for (const day of ['2026-02-30', 'yesterday', '2026-11-20T10:00:00Z']) {
    const { code, stdout, stderr } = await results('--day', day);
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /^ {2}day: must be a day/m);
  }
});
