import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Role } from '../config.ts';
import { planProcesses } from './plan.ts';

const cases: { roles: Role[]; cores: number; processes: string }[] = [
  { roles: ['http', 'worker'], cores: 1, processes: 'http+worker' },
  { roles: ['worker'], cores: 1, processes: 'worker' },
  { roles: ['http', 'worker'], cores: 2, processes: 'http worker' },
  { roles: ['http', 'worker'], cores: 4, processes: 'http worker worker worker' },
  { roles: ['http', 'worker'], cores: 64, processes: 'http worker worker worker worker' },
  { roles: ['http', 'smtp', 'worker'], cores: 1, processes: 'http+smtp+worker' },
  { roles: ['http', 'smtp', 'worker'], cores: 2, processes: 'http+smtp worker' },
  { roles: ['smtp', 'worker'], cores: 2, processes: 'smtp worker' },
  { roles: ['smtp'], cores: 4, processes: 'smtp' },
  { roles: ['http'], cores: 8, processes: 'http' },
  { roles: ['worker'], cores: 3, processes: 'worker worker' },
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
