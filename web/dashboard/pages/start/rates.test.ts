import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dangerOf, LEAST_RECIPIENTS, REPUTATION_LIMITS } from '../../../../src/model/reputation.ts';
import { RATES } from './rates.ts';

for (const [name, kind] of [
  ['Bounced', 'bounces'],
  ['Complained', 'complaints'],
] as const)
  test(`${name} turns amber and red at the rates at which Start lists ${kind}`, () => {
    const rate = RATES.find((each) => each.name === name) ?? assert.fail();
    const { warn, bad } = REPUTATION_LIMITS[kind];
    assert.deepEqual(rate.marks, [warn, bad]);
    const whole = 100_000;
    for (const part of [0, warn * whole - 1, warn * whole, bad * whole - 1, bad * whole, whole])
      assert.equal(rate.tone(part / whole, whole), dangerOf(kind, part, whole) ?? 'good', `${part}`);
    assert.equal(rate.tone(1, LEAST_RECIPIENTS), 'bad');
    assert.equal(rate.tone(1, LEAST_RECIPIENTS - 1), 'warn');
    assert.equal(dangerOf(kind, LEAST_RECIPIENTS - 1, LEAST_RECIPIENTS - 1), null);
  });
