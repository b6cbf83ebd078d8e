import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type ClaimState, NEW_CLAIM, nextCheckAt, nextState, WARNING_MS } from './claim-state.ts';
import { expectedRecords } from './expected-records.ts';
import type { RecordCheck } from './judge-record.ts';
import { checkKey } from './look-up-records.ts';
import { DAY_MS, HOUR_MS } from '../model/day.ts';

const RECORDS = expectedRecords(
  'acme.example',
  [{ selector: 's', algorithm: 'rsa-sha256', publicKey: 'MIIB', state: 'active', keepUntil: null }],
  'mx.posthorn.example',
);
const NOW = new Date('2026-11-20T12:00:00Z');
const EARLIER = new Date('2026-11-01T12:00:00Z');
const ALL_FLAGS = { spfVerified: true, dkimVerified: true, mailFromVerified: true, dmarcVerified: true };
const VERIFIED: ClaimState = { ...NEW_CLAIM, ...ALL_FLAGS, status: 'verified', verifiedAt: EARLIER };
const warning = (sinceMs: number): ClaimState => ({
  ...VERIFIED,
  status: 'warning',
  dkimVerified: false,
  warningSince: new Date(NOW.getTime() - sinceMs),
});

type Verdict = 'v' | 'f' | 't';
const STATUSES = { v: 'verified', f: 'failed', t: 'temporary_failure' } as const;

/** @param verdicts one letter for each of DKIM, MAIL_FROM, SPF, DMARC and MX, in this order */
function next(before: ClaimState, verdicts: string, mayVerify = true): ClaimState {
  const checks = RECORDS.map((record, at): [string, RecordCheck] => [
    checkKey(record),
    { status: STATUSES[verdicts[at] as Verdict], found: [], error: null },
  ]);
  return nextState(before, RECORDS, Object.fromEntries(checks), mayVerify, NOW);
}

describe('the status after a check', () => {
  const cases: [name: string, before: ClaimState, verdicts: string, status: ClaimState['status']][] = [
    ['no record is found', NEW_CLAIM, 'fffff', 'pending'],
    ['two of the three required records are found', NEW_CLAIM, 'vvfvv', 'pending'],
    ['the three required records are found, without the recommended ones', NEW_CLAIM, 'vvvff', 'verified'],
    ['DNS does not answer', NEW_CLAIM, 'ttttt', 'pending'],
    ['the last required record is not known', { ...NEW_CLAIM, dkimVerified: true }, 'vvtff', 'pending'],
    ['it was verified and all records are found', VERIFIED, 'vvvvv', 'verified'],
    ['it was verified and DNS does not answer', VERIFIED, 'ttttt', 'verified'],
    ['it was verified and lost a record', VERIFIED, 'fvvvv', 'warning'],
    ['it was verified and lost only recommended records', VERIFIED, 'vvvff', 'verified'],
    ['a claim with a warning has its records again', warning(1), 'vvvff', 'verified'],
    ['a claim has lacked a record for less than 72 hours', warning(WARNING_MS - 1), 'fvvvv', 'warning'],
    ['a claim has lacked a record for 72 hours', warning(WARNING_MS), 'fvvvv', 'pending'],
    [
      'a claim has lacked a record for 72 hours and DNS does not answer',
      warning(WARNING_MS),
      'ttttt',
      'pending',
    ],
    ['a failed claim has its records', { ...NEW_CLAIM, status: 'failed' }, 'vvvff', 'verified'],
    ['a failed claim has no records', { ...NEW_CLAIM, status: 'failed' }, 'fffff', 'pending'],
  ];
  for (const [name, before, verdicts, status] of cases) {
    test(`is ${status} when ${name}`, () => assert.equal(next(before, verdicts).status, status));
  }

  test("stays pending if the records are found but another project's claim is verified", () => {
    assert.equal(next(NEW_CLAIM, 'vvvvv', false).status, 'pending');
  });

  test('of a claim without a key is never verified', () => {
    const records = RECORDS.filter(({ record }) => record !== 'DKIM');
    const check: RecordCheck = { status: 'verified', found: [], error: null };
    const checks = Object.fromEntries(records.map((record) => [checkKey(record), check]));
    assert.equal(nextState(NEW_CLAIM, records, checks, true, NOW).status, 'pending');
  });
});

describe('the stored state', () => {
  test('contains the time of the first verification', () => {
    assert.deepEqual(next(NEW_CLAIM, 'vvvvv').verifiedAt, NOW);
    assert.deepEqual(next(VERIFIED, 'vvvvv').verifiedAt, EARLIER);
    assert.deepEqual(next(warning(1), 'vvvvv').verifiedAt, EARLIER);
  });

  test('contains the time when the records were lost', () => {
    assert.deepEqual(next(VERIFIED, 'fvvvv').warningSince, NOW);
    assert.deepEqual(next(warning(5), 'fvvvv').warningSince, new Date(NOW.getTime() - 5));
    assert.equal(next(warning(5), 'vvvvv').warningSince, null);
  });

  test('is reset when the claim becomes pending again', () => {
    const { verifiedAt, warningSince } = next(warning(WARNING_MS), 'fvvvv');
    assert.deepEqual([verifiedAt, warningSince], [null, null]);
  });

  test('sets each flag independently of the other flags', () => {
    assert.deepEqual(next(NEW_CLAIM, 'vftvf'), { ...NEW_CLAIM, dkimVerified: true, dmarcVerified: true });
  });
});

test('a DKIM key that does not sign does not affect the domain', () => {
  const key = { algorithm: 'rsa-sha256', publicKey: 'MIIB', keepUntil: null } as const;
  const records = expectedRecords(
    'acme.example',
    [
      { ...key, selector: 'signing', state: 'active' },
      { ...key, selector: 'next', state: 'next' },
      { ...key, selector: 'old', state: 'retiring', keepUntil: NOW },
    ],
    'mx.posthorn.example',
  );
  const seeing = (seen: string) =>
    Object.fromEntries(
      records.map((record): [string, RecordCheck] => {
        const isSeen = record.record !== 'DKIM' || record.host.startsWith(seen);
        return [checkKey(record), { status: isSeen ? 'verified' : 'failed', found: [], error: null }];
      }),
    );
  assert.equal(nextState(VERIFIED, records, seeing('signing'), true, NOW).status, 'verified');
  assert.equal(nextState(VERIFIED, records, seeing('next'), true, NOW).status, 'warning');
  assert.equal(nextState(NEW_CLAIM, records, seeing('old'), true, NOW).dkimVerified, false);
});

describe('DKIM with two keys', () => {
  const records = expectedRecords(
    'acme.example',
    ['old', 'new'].map((selector) => ({
      algorithm: 'rsa-sha256',
      publicKey: 'MIIB',
      state: 'active',
      keepUntil: null,
      selector,
    })),
    'mx.posthorn.example',
  );
  const cases: [verdicts: string, was: boolean, is: boolean][] = [
    ['vv', false, true],
    ['vf', false, true],
    ['fv', false, true],
    ['vt', false, true],
    ['ff', true, false],
    ['ft', true, true],
    ['ft', false, false],
    ['tt', true, true],
  ];
  for (const [verdicts, was, is] of cases) {
    test(`is ${is ? '' : 'not '}verified after the checks ${verdicts} if it was ${was ? '' : 'not '}verified before`, () => {
      const checks = records.map((record, at): [string, RecordCheck] => [
        checkKey(record),
        { status: STATUSES[(verdicts[at] ?? 'v') as Verdict], found: [], error: null },
      ]);
      const before = was ? VERIFIED : NEW_CLAIM;
      const after = nextState(before, records, Object.fromEntries(checks), true, NOW);
      assert.equal(after.dkimVerified, is);
      assert.equal(after.status, is ? 'verified' : was ? 'warning' : 'pending');
    });
  }
});

const SINCE = new Date('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const after = (ms: number) => new Date(SINCE.getTime() + ms);

function pauseMs(status: 'pending' | 'verified' | 'warning' | 'failed', waitedMs: number, random = 0.5) {
  const next = nextCheckAt(status, SINCE, after(waitedMs), random);
  return next === null ? null : next.getTime() - after(waitedMs).getTime();
}

describe('the next check', () => {
  test('of a pending claim is a minute away, then later and later, and finally never', () => {
    const pauses: (number | null)[] = [];
    for (let waitedMs = 0; ; ) {
      const pause = pauseMs('pending', waitedMs);
      pauses.push(pause);
      if (pause === null) break;
      waitedMs += pause;
    }
    const [first, second, third, ...later] = pauses;
    assert.deepEqual([first, second, third], [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS]);
    const hourly = later.filter((pause) => pause === HOUR_MS).length;
    const daily = later.filter((pause) => pause === DAY_MS).length;
    assert.ok(hourly >= 71 && hourly <= 72, `${hourly} hourly`);
    assert.ok(daily >= 30 && daily <= 31, `${daily} daily`);
    assert.equal(later.length, hourly + daily + 1);
  });

  test('of a verified claim is a day away, and that of a claim with a warning an hour away, without end', () => {
    for (const waitedMs of [0, DAY_MS, 1_000 * DAY_MS]) {
      assert.equal(pauseMs('verified', waitedMs), DAY_MS);
      assert.equal(pauseMs('warning', waitedMs), HOUR_MS);
    }
  });

  test('is spread randomly, and always in the future', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('pending' as const, 'verified' as const, 'warning' as const),
        fc.integer({ min: 0, max: 32 * DAY_MS }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (status, waitedMs, random) => {
          const [pause, middle] = [pauseMs(status, waitedMs, random), pauseMs(status, waitedMs)];
          assert.ok(pause !== null && middle !== null && pause > 0);
          assert.ok(Math.abs(pause - middle) <= middle * 0.1 + 1);
        },
      ),
    );
  });
});
