import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ConfiguredRole } from '../app/config.ts';
import { nameProcesses, planProcesses } from './plan-processes.ts';

const cases: { roles: ConfiguredRole[]; cores: number; processes: string }[] = [
  { roles: ['http', 'worker'], cores: 1, processes: 'http+worker' },
  { roles: ['worker'], cores: 1, processes: 'worker+status' },
  { roles: ['http', 'worker'], cores: 2, processes: 'http worker' },
  { roles: ['http', 'worker'], cores: 4, processes: 'http worker worker worker' },
  { roles: ['http', 'worker'], cores: 64, processes: 'http worker worker worker worker' },
  { roles: ['http', 'smtp', 'worker'], cores: 1, processes: 'http+smtp+worker' },
  { roles: ['http', 'smtp', 'worker'], cores: 2, processes: 'http+smtp worker' },
  { roles: ['smtp', 'worker'], cores: 2, processes: 'smtp worker+status' },
  { roles: ['smtp', 'worker'], cores: 1, processes: 'smtp+worker+status' },
  { roles: ['smtp'], cores: 4, processes: 'smtp+status' },
  { roles: ['http'], cores: 8, processes: 'http' },
  { roles: ['http', 'imap', 'worker'], cores: 1, processes: 'http+imap+worker' },
  { roles: ['http', 'imap', 'worker'], cores: 2, processes: 'http+imap worker' },
  { roles: ['http', 'imap', 'worker'], cores: 4, processes: 'http imap worker worker worker' },
  { roles: ['http', 'imap', 'pop3', 'worker'], cores: 4, processes: 'http imap+pop3 worker worker worker' },
  { roles: ['imap'], cores: 8, processes: 'imap+status' },
  { roles: ['worker'], cores: 3, processes: 'worker worker+status' },
];

suite('planProcesses', () => {
  for (const { roles, cores, processes } of cases) {
    test(`${roles.join(',')} on ${cores} cores: ${processes}`, () => {
      assert.equal(
        planProcesses(roles, cores)
          .map((each) => each.join('+'))
          .join(' '),
        processes,
      );
    });
  }
});

suite('nameProcesses', () => {
  test('gives each process of an instance a different name out of a fixed set', () => {
    const names = (roles: ConfiguredRole[], cores: number) => nameProcesses(planProcesses(roles, cores));
    assert.deepEqual(names(['http', 'smtp', 'worker'], 1), ['http']);
    assert.deepEqual(names(['worker'], 1), ['worker-1']);
    assert.deepEqual(names(['http', 'smtp', 'worker'], 64), [
      'http',
      'worker-1',
      'worker-2',
      'worker-3',
      'worker-4',
    ]);
    assert.deepEqual(names(['smtp', 'worker'], 2), ['smtp', 'worker-1']);
  });
});
