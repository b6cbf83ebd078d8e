import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY_MS } from '../model/day.ts';
import type { RecordCheck } from './judge-record.ts';
import { tolerate } from './tolerate.ts';

const KEY = 'SPF send.acme.example';
const NOW = new Date('2026-12-01T00:00:00Z');
const FIX_BY = '2026-12-31T00:00:00.000Z';
const daysLater = (days: number) => new Date(NOW.getTime() + days * DAY_MS);

const VERIFIED: RecordCheck = { status: 'verified', found: ['old'], error: null };
const FAILED: RecordCheck = { status: 'failed', found: ['old'], error: 'wrong', wrongTerm: 'x' };
const STRICTER: RecordCheck = { ...FAILED, passedEarlier: true };
const UNKNOWN: RecordCheck = { status: 'temporary_failure', found: [], error: 'no answer' };

interface Step {
  check: RecordCheck;
  now?: Date;
  status?: 'pending' | 'verified' | 'warning';
}

/** Applies several checks in order. @param first the check that an earlier version stored */
function after(first: RecordCheck | undefined, steps: readonly Step[]): RecordCheck | undefined {
  return steps.reduce(
    (before, { check, now = NOW, status = 'verified' }) =>
      tolerate({ [KEY]: check }, { status, checks: before === undefined ? null : { [KEY]: before } }, now)[
        KEY
      ],
    first,
  );
}

describe('a record that fails only by the new rules', () => {
  test('counts as verified for 30 days if the domain was verified by the earlier rules', () => {
    assert.deepEqual(after(VERIFIED, [{ check: STRICTER }]), {
      status: 'verified',
      found: ['old'],
      error: null,
      wrongTerm: 'x',
      advice: ['wrong'],
      rules: 2,
      fixBy: FIX_BY,
    });
  });

  const table: [name: string, first: RecordCheck | undefined, steps: Step[], fixBy: string | null][] = [
    [
      'keeps its time at later checks',
      VERIFIED,
      [{ check: STRICTER }, { check: STRICTER, now: daysLater(29) }],
      FIX_BY,
    ],
    ['fails after 30 days', VERIFIED, [{ check: STRICTER }, { check: STRICTER, now: daysLater(30) }], null],
    [
      'does not get another 30 days',
      VERIFIED,
      [
        { check: STRICTER },
        { check: STRICTER, now: daysLater(30) },
        { check: STRICTER, now: daysLater(31), status: 'warning' },
      ],
      null,
    ],
    ['has 30 days from the first answer of DNS', VERIFIED, [{ check: UNKNOWN }, { check: STRICTER }], FIX_BY],
    [
      'keeps its time while DNS does not answer',
      VERIFIED,
      [{ check: STRICTER }, { check: UNKNOWN, now: daysLater(1) }, { check: STRICTER, now: daysLater(2) }],
      FIX_BY,
    ],
    ['gets time in warning too', VERIFIED, [{ check: STRICTER, status: 'warning' }], FIX_BY],
    ['fails for a domain that was pending', VERIFIED, [{ check: STRICTER, status: 'pending' }], null],
    ['fails for a record that was never checked', undefined, [{ check: STRICTER }], null],
    ['fails if it was wrong by the earlier rules', FAILED, [{ check: STRICTER }], null],
    [
      'fails if it was correct by the new rules once',
      VERIFIED,
      [{ check: VERIFIED }, { check: STRICTER }],
      null,
    ],
    [
      'fails if it was corrected in the 30 days and then broken',
      VERIFIED,
      [{ check: STRICTER }, { check: VERIFIED }, { check: STRICTER }],
      null,
    ],
    [
      'fails if it becomes wrong by the earlier rules too',
      VERIFIED,
      [{ check: STRICTER }, { check: FAILED }],
      null,
    ],
  ];
  for (const [name, first, steps, fixBy] of table) {
    test(name, () => {
      const check = after(first, steps);
      assert.deepEqual(
        [check?.status, check?.fixBy],
        fixBy === null ? ['failed', undefined] : ['verified', fixBy],
      );
    });
  }
});
