import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dangerOf, REPUTATION_LIMITS } from '../../../../src/model/reputation.ts';
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
      assert.equal(rate.tone(part, whole), dangerOf(kind, part, whole) ?? 'good', `${part}`);
  });

for (const [name, kind, part, whole, isReliable] of [
  ['Bounced', 'bounces', 99, 99, false],
  ['Bounced', 'bounces', 5, 100, true],
  ['Complained', 'complaints', 99, 99, false],
  ['Complained', 'complaints', 1, 100, false],
  ['Complained', 'complaints', 2, 600, false],
  ['Complained', 'complaints', 3, 100, true],
  ['Complained', 'complaints', 1, 999, false],
  ['Complained', 'complaints', 1, 1_000, true],
] as const)
  test(`${part} of ${whole} ${kind} are ${isReliable ? 'a problem' : 'too few to tell, on both parts of Start'}`, () => {
    const rate = RATES.find((each) => each.name === name) ?? assert.fail();
    const danger = dangerOf(kind, part, whole);
    assert.equal(danger !== null, isReliable);
    assert.equal(rate.tone(part, whole), danger ?? 'warn');
    assert.equal(rate.words(part, whole) === 'Too few emails for a reliable rate.', !isReliable);
  });
