import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertFinding } from './finding.fixture.ts';
import { ok } from './finding.ts';
import { runChecks } from './checks.ts';

test('checks run in parallel, and the results are in the order of the checks', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const results = await runChecks([
    { name: 'waits', run: () => promise.then(() => ok('first')) },
    {
      name: 'wakes',
      run: async () => {
        resolve();
        return ok('second');
      },
    },
  ]);
  assert.deepEqual(
    results.map(({ name, seen }) => `${name} ${seen}`),
    ['waits first', 'wakes second'],
  );
});

test('a check that throws is reported as a problem, and the other checks still run', async () => {
  const [failed, other] = await runChecks([
    { name: 'fails', run: () => Promise.reject(new Error('no such file')) },
    { name: 'other', run: async () => ok('fine') },
  ]);
  assert.ok(failed && other);
  assertFinding(failed, 'problem', /check failed: no such file/, /again/);
  assert.equal(other.verdict, 'ok');
});

test('a check that does not finish is reported as a problem', async () => {
  const [late] = await runChecks([{ name: 'late', run: () => new Promise(() => {}) }], 10);
  assert.ok(late);
  assertFinding(late, 'problem', /took longer than/, /again/);
});

test('control characters in untrusted text of a finding are replaced', async () => {
  const [result] = await runChecks([{ name: 'greeting', run: async () => ok('220 \u001b[2J\u202e') }]);
  assert.equal(result?.seen, '220 ?[2J?');
});
