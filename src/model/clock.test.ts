// Runs in its own process: it changes the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnTime, now, nowMs, offsetMs } from './clock.ts';
import { newUuid, restartIds, timeOf } from './ids.ts';

const AHEAD_MS = 300_000;

/** Learns the time from a database whose clock is behind that of this machine. @param tookMs duration of the query */
function learnFromDatabase(behindMs: number, tookMs = 0): void {
  const atMs = performance.now();
  learnTime(Date.now() - behindMs, atMs - tookMs / 2, atMs + tookMs / 2);
}

const near = (actualMs: number, expectedMs: number) => assert.ok(Math.abs(actualMs - expectedMs) < 50);

// The tests run in order, because a process has one clock.
test('the time is that of this machine until it is read from the database', () => {
  near(nowMs(), Date.now());
  assert.equal(offsetMs(), 0);
});

test('the time and the ids follow the clock of the database', () => {
  // This id uses the clock of this machine.
  newUuid();
  learnFromDatabase(AHEAD_MS);
  near(nowMs(), Date.now() - AHEAD_MS);
  near(now().getTime(), Date.now() - AHEAD_MS);
  restartIds();
  near(timeOf(newUuid()).getTime(), Date.now() - AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('a slow response changes the time only as far as it contradicts it', () => {
  const before = offsetMs();
  learnFromDatabase(AHEAD_MS - 900, 2_000);
  near(offsetMs(), before);
  learnFromDatabase(AHEAD_MS - 5_000, 2_000);
  near(offsetMs(), AHEAD_MS - 4_000);
  learnFromDatabase(AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('setting the clock of this machine changes nothing until the next response of the database', (t) => {
  const before = nowMs();
  const wallMs = Date.now();
  t.mock.method(Date, 'now', () => wallMs + 3_600_000);
  near(nowMs(), before);
  near(offsetMs(), AHEAD_MS + 3_600_000);
});
