import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AlertProblem } from './channel.ts';
import { type FoundProblem, type KnownProblem, nextProblems } from './next-problems.ts';

const START_MS = Date.parse('2026-11-30T12:00:00Z');
const MINUTE_MS = 60_000;

const problem = (of: Partial<AlertProblem> = {}): AlertProblem => ({
  kind: 'webhook',
  severity: 3,
  tone: 'warn',
  resource: 'wh_1',
  text: 'It fails.',
  since: null,
  ...of,
});
const found = (of: Partial<FoundProblem> = {}): FoundProblem => ({
  key: 'webhook wh_1 failing',
  level: 0,
  isSnoozed: false,
  problem: problem(),
  ...of,
});

/** The problems that exist at a minute of a story, and the expected reports. */
interface Step {
  minute: number;
  found: readonly FoundProblem[];
  reports?: readonly string[];
  /** Default: true. */
  mayReport?: boolean;
  isGone?: boolean;
}

const PAUSED = found({ key: 'paused', problem: problem({ kind: 'paused', resource: null, severity: 1 }) });
const DELAYED = found({ key: 'delayed', problem: problem({ kind: 'delayed', resource: null, severity: 1 }) });
const DISABLED = found({ key: 'webhook wh_1 disabled', problem: problem({ text: 'It was disabled.' }) });
const OLD = found({ problem: problem({ since: '2026-11-30T11:00:00.000Z' }) });

const STORIES: Readonly<Record<string, readonly Step[]>> = {
  'a problem is reported once when it has lasted a minute, and once when it is resolved': [
    { minute: 0, found: [found()] },
    { minute: 1, found: [found()], reports: ['opened'] },
    { minute: 2, found: [found()] },
    { minute: 3, found: [], reports: ['resolved'] },
    { minute: 4, found: [] },
  ],
  'a problem that is known to have lasted is reported at once': [
    { minute: 0, found: [OLD], reports: ['opened'] },
  ],
  'a problem that ends within a minute is not reported': [
    { minute: 0, found: [found()] },
    { minute: 1, found: [] },
    { minute: 2, found: [found()] },
  ],
  'a problem that gets worse is reported again, and one that gets better is not': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [{ ...OLD, level: 2 }], reports: ['changed'] },
    { minute: 2, found: [{ ...OLD, level: 1 }] },
    { minute: 3, found: [{ ...OLD, level: 2 }] },
    { minute: 4, found: [{ ...OLD, level: 3 }], reports: ['changed'] },
  ],
  'a problem that returns within an hour is reported when the hour has passed, if it still exists': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [], reports: ['resolved'] },
    { minute: 2, found: [OLD] },
    { minute: 3, found: [] },
    { minute: 40, found: [OLD] },
    { minute: 60, found: [OLD] },
    { minute: 61, found: [OLD], reports: ['opened'] },
    { minute: 62, found: [], reports: ['resolved'] },
  ],
  'a problem that returns after an hour is a new one': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [], reports: ['resolved'] },
    { minute: 61, found: [] },
    { minute: 62, found: [OLD], reports: ['opened'] },
  ],
  'a problem that the check could not find out about stays open': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [], isGone: false },
    { minute: 2, found: [OLD] },
  ],
  'another form of a reported problem replaces it, and is resolved in its place': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [DISABLED], reports: ['changed'] },
    { minute: 2, found: [DISABLED] },
    { minute: 3, found: [], reports: ['resolved'] },
  ],
  'whether mail is sent has one state at a time': [
    { minute: 0, found: [DELAYED] },
    { minute: 1, found: [DELAYED], reports: ['opened'] },
    { minute: 2, found: [PAUSED], reports: ['changed'] },
    { minute: 3, found: [], reports: ['resolved'] },
  ],
  'problems in quiet hours are reported afterwards if they still exist': [
    { minute: 0, found: [OLD, PAUSED], mayReport: false },
    { minute: 1, found: [OLD], mayReport: false },
    { minute: 2, found: [OLD], reports: ['opened'] },
  ],
  'a problem that is resolved in quiet hours is reported as resolved afterwards': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [], mayReport: false },
    { minute: 2, found: [], reports: ['resolved'] },
  ],
  'a problem that returns in quiet hours is not mentioned': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [], mayReport: false },
    { minute: 2, found: [OLD] },
  ],
  'a snoozed problem is not reported until the snooze ends': [
    { minute: 0, found: [{ ...OLD, isSnoozed: true }] },
    { minute: 9, found: [OLD], reports: ['opened'] },
  ],
  'the end of a snoozed problem is not reported': [
    { minute: 0, found: [OLD], reports: ['opened'] },
    { minute: 1, found: [{ ...OLD, isSnoozed: true, level: 1 }] },
    { minute: 2, found: [] },
    { minute: 3, found: [] },
  ],
};

for (const [name, steps] of Object.entries(STORIES))
  test(name, () => {
    const known = new Map<string, KnownProblem>();
    for (const { minute, found: exists, reports = [], mayReport = true, isGone = true } of steps) {
      const next = nextProblems({
        known: [...known.values()],
        found: exists,
        now: new Date(START_MS + minute * MINUTE_MS),
        isGone: () => isGone,
        mayReport: () => mayReport,
      });
      for (const each of next.saved) known.set(each.key, each);
      for (const key of next.removed) known.delete(key);
      assert.deepEqual(
        next.reports.map(({ change }) => change),
        reports,
        `minute ${minute}`,
      );
    }
  });

test('a check without news saves nothing', () => {
  const first = nextProblems({
    known: [],
    found: [OLD],
    now: new Date(START_MS),
    isGone: () => true,
    mayReport: () => true,
  });
  const again = nextProblems({
    known: first.saved,
    found: [OLD],
    now: new Date(START_MS + MINUTE_MS),
    isGone: () => true,
    mayReport: () => true,
  });
  assert.equal(first.saved.length, 1);
  assert.deepEqual(again, { saved: [], removed: [], reports: [] });
});
