// A process of its own: it changes the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnTime, now, nowMs, offsetMs } from './clock.ts';
import { newUuid, restartIds, timeOf } from './ids.ts';

const AHEAD_MS = 300_000;

/** What a database says whose clock is behind that of this machine. @param tookMs of which half is over */
function hear(behindMs: number, tookMs = 0): void {
  const atMs = performance.now();
  learnTime(Date.now() - behindMs, atMs - tookMs / 2, atMs + tookMs / 2);
}

const near = (actualMs: number, expectedMs: number) => assert.ok(Math.abs(actualMs - expectedMs) < 50);

// In order: the clock of a process is one.
test('the time is that of this machine until the database has told its own', () => {
  near(nowMs(), Date.now());
  assert.equal(offsetMs(), 0);
});

test('the time, and that of ids, is the one that the database tells', () => {
  // By the clock of this machine.
  newUuid();
  hear(AHEAD_MS);
  near(nowMs(), Date.now() - AHEAD_MS);
  near(now().getTime(), Date.now() - AHEAD_MS);
  restartIds();
  near(timeOf(newUuid()).getTime(), Date.now() - AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('an answer that took long changes nothing that it does not contradict', () => {
  const before = offsetMs();
  hear(AHEAD_MS - 900, 2_000);
  near(offsetMs(), before);
  hear(AHEAD_MS - 5_000, 2_000);
  near(offsetMs(), AHEAD_MS - 4_000);
  hear(AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('who sets the clock of this machine changes nothing until the database is asked again', (t) => {
  const before = nowMs();
  const wallMs = Date.now();
  t.mock.method(Date, 'now', () => wallMs + 3_600_000);
  near(nowMs(), before);
  near(offsetMs(), AHEAD_MS + 3_600_000);
});
