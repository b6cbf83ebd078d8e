// Runs in its own process: it changes the clock.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { learnTime, now, nowMs, offsetMs } from './clock.ts';
import { newUuid, restartIds, timeOf } from './ids.ts';

const AHEAD_MS = 300_000;

/** Reads the time from a database whose clock is behind this machine's clock. @param tookMs the duration of the query */
function learnFromDatabase(behindMs: number, tookMs = 0): void {
  const atMs = performance.now();
  learnTime(Date.now() - behindMs, atMs - tookMs / 2, atMs + tookMs / 2);
}

const near = (actualMs: number, expectedMs: number) => assert.ok(Math.abs(actualMs - expectedMs) < 50);

// Each test depends on the tests before it, because a process has only one clock.
test('before the clock of the database is read, the time is the time of this machine', () => {
  near(nowMs(), Date.now());
  assert.equal(offsetMs(), 0);
});

test('the time and the ids follow the clock of the database', () => {
  // The first id of a process has the time of this machine, because the database's clock has not been read yet.
  newUuid();
  learnFromDatabase(AHEAD_MS);
  near(nowMs(), Date.now() - AHEAD_MS);
  near(now().getTime(), Date.now() - AHEAD_MS);
  restartIds();
  near(timeOf(newUuid()).getTime(), Date.now() - AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('a slow reading of the database clock changes the time no further than it has to', () => {
  const before = offsetMs();
  learnFromDatabase(AHEAD_MS - 900, 2_000);
  near(offsetMs(), before);
  learnFromDatabase(AHEAD_MS - 5_000, 2_000);
  near(offsetMs(), AHEAD_MS - 4_000);
  learnFromDatabase(AHEAD_MS);
  near(offsetMs(), AHEAD_MS);
});

test('setting the clock of this machine does not change the time', (t) => {
  const before = nowMs();
  const wallMs = Date.now();
  t.mock.method(Date, 'now', () => wallMs + 3_600_000);
  near(nowMs(), before);
  near(offsetMs(), AHEAD_MS + 3_600_000);
});
