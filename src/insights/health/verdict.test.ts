import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type SendingFacts, verdictOf } from './verdict.ts';

const [TEN, ELEVEN] = [new Date('2026-11-30T10:00:00Z'), new Date('2026-11-30T11:00:00Z')];
const WELL: SendingFacts = { pausedSince: null, notSendingSince: null, workers: 2, lastHeartbeat: ELEVEN };
const NONE = { emails: 0, isMore: false, delayedSince: null };

for (const [title, facts, mail, state, since, cause] of [
  ['workers and no mail', {}, {}, 'normal', null, null],
  ['mail that has just become due', {}, { emails: 3 }, 'normal', null, null],
  ['mail that has waited too long', {}, { emails: 3, delayedSince: TEN }, 'delayed', TEN, null],
  ['no worker', { workers: 0 }, { emails: 3, delayedSince: TEN }, 'stopped', ELEVEN, 'workers'],
  ['no worker and no mail', { workers: 0 }, {}, 'stopped', ELEVEN, 'workers'],
  ['no worker that was ever seen', { workers: 0, lastHeartbeat: null }, {}, 'stopped', null, 'workers'],
  ['workers that cannot be judged', { workers: null }, { delayedSince: TEN }, 'unknown', null, null],
  ['no provider', { notSendingSince: TEN }, {}, 'stopped', TEN, 'provider'],
  ['neither a provider nor a worker', { notSendingSince: TEN, workers: 0 }, {}, 'stopped', TEN, 'provider'],
  ['a pause', { pausedSince: TEN }, { delayedSince: TEN }, 'paused', TEN, 'paused'],
  ['a pause and no worker', { pausedSince: TEN, workers: 0 }, {}, 'paused', TEN, 'paused'],
] as const)
  test(`with ${title}, mail is ${state}`, () => {
    const verdict = verdictOf({ ...WELL, ...facts }, { ...NONE, ...mail }, []);
    assert.deepEqual(
      [verdict.state, verdict.since, verdict.causes.map(({ kind }) => kind)],
      [state, since === null ? null : since.toISOString(), cause === null ? [] : [cause]],
    );
  });

test('only operators see causes and concerns', () => {
  const disk = { kind: 'disk', text: 'Only 4 % of the disk of one is free.' } as const;
  const facts = { ...WELL, workers: 0 };
  assert.deepEqual(
    verdictOf(facts, NONE, [disk]).causes.map(({ kind }) => kind),
    ['workers', 'disk'],
  );
  const shown = fc.record({
    pausedSince: fc.constantFrom(null, TEN),
    notSendingSince: fc.constantFrom(null, TEN),
    workers: fc.constantFrom(null, 0, 3),
    lastHeartbeat: fc.constantFrom(null, ELEVEN),
  });
  fc.assert(fc.property(shown, (each) => verdictOf(each, NONE, null).causes.length === 0));
});
