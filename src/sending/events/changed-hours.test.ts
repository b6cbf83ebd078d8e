import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../model/day.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import { noteChanges, takeChangedHours } from './changed-hours.ts';

const thisHourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS;

beforeEach(() => {
  takeChangedHours();
  takeChangedHours();
});

/** Notes an email of each of these hours. */
function note(projectId: string, hoursAgo: readonly number[]): void {
  noteChanges(
    hoursAgo.map((ago) => ({ projectId, emailId: firstUuidAt(new Date(thisHourMs - ago * HOUR_MS)) })),
  );
}

/** How many hours ago the noted hours of a project were. */
function taken(projectId: string): number[] {
  takeChangedHours();
  return takeChangedHours()
    .filter((changed) => changed.projectId === projectId)
    .map(({ hour }) => (thisHourMs - hour.getTime()) / HOUR_MS)
    .toSorted((one, other) => one - other);
}

test('the newest ten changed hours of a project are noted, once each', () => {
  const id = newUuid();
  note(id, [40, 3, 3, 12, 7, 30, 6, 5, 8, 4, 9, 11, 10, 2, 50, 3]);
  assert.deepEqual(taken(id), [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
});

test('the running hour and hours that are no longer counted are not noted', () => {
  const id = newUuid();
  note(id, [0, 1, 34 * 24, 36 * 24, 400 * 24]);
  assert.deepEqual(taken(id), [1, 34 * 24]);
});

test('a project with changes in many hours does not keep those of others from being noted', () => {
  const [busy, other] = [newUuid(), newUuid()];
  note(
    busy,
    Array.from({ length: (34 * DAY_MS) / HOUR_MS }, (_, ago) => ago),
  );
  for (let at = 0; at < 400; at += 1) note(newUuid(), [5]);
  note(other, [2]);
  assert.deepEqual(taken(other), [2]);
});

test('the number of noted projects is limited', () => {
  for (let at = 0; at < 700; at += 1) note(newUuid(), [5]);
  takeChangedHours();
  assert.equal(takeChangedHours().length, 500);
});
