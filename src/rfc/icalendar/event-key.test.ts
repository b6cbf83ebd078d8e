import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { calendarOf } from './calendar.fixture.ts';
import { compareVersions, type EventKey, readEventKey } from './event-key.ts';

function keyOf(lines: readonly string[], method?: string): EventKey {
  const key = readEventKey(calendarOf(lines, method === undefined ? {} : { method }), null);
  assert.ok(key !== null);
  return key;
}

describe('readEventKey', () => {
  test('reads the identity and the version of an event', () => {
    const { uid, ...key } = keyOf([
      'UID:planning@acme.example',
      'SEQUENCE:3',
      'DTSTAMP:20270101T100000Z',
      'RECURRENCE-ID;TZID=Europe/Berlin:20270712T100000',
      'ORGANIZER:mailto:Ann%40ACME.example',
    ]);
    assert.match(uid, /^[0-9a-f]{32}$/);
    assert.deepEqual(key, {
      recurrence: '2027-07-12T10:00:00',
      sequence: 3,
      stampMs: Date.parse('2027-01-01T10:00:00Z'),
      method: 'request',
      isCancelled: false,
      organizer: 'ann@acme.example',
    });
  });

  test('distinguishes events by UID, and reads a cancellation by method or status', () => {
    assert.notEqual(keyOf(['UID:a']).uid, keyOf(['UID:b']).uid);
    assert.equal(keyOf(['UID:a']).uid, keyOf(['UID:a', 'SUMMARY:Other']).uid);
    assert.equal(keyOf([], 'CANCEL').isCancelled, true);
    assert.equal(keyOf(['STATUS:CANCELLED']).isCancelled, true);
    assert.equal(keyOf(['STATUS:CONFIRMED']).isCancelled, false);
  });

  test('returns null without a UID, without an event, and for a very large calendar', () => {
    for (const text of ['', 'BEGIN:VCALENDAR\r\nEND:VCALENDAR', calendarOf(['UID:']), 'x'.repeat(300_000)])
      assert.equal(readEventKey(text, null), null);
  });

  test('reads invalid numbers and times as 0', () => {
    for (const lines of [
      ['SEQUENCE:-1', 'DTSTAMP:never'],
      ['SEQUENCE:9999999999', 'DTSTAMP:19000101T000000Z'],
      ['SEQUENCE:x', 'DTSTAMP:'],
    ]) {
      const { sequence, stampMs } = keyOf(lines);
      assert.deepEqual([sequence, stampMs], [0, 0]);
    }
  });

  test('never throws, and returns only data that PostgreSQL can store', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 5 }), (lines) => {
        const key = readEventKey(calendarOf(lines.map((line, at) => `X${at}:${line}\r\n${line}`)), null);
        const fields = ['RECURRENCE-ID:', 'ORGANIZER:mailto:', 'METHOD:'].map((name) =>
          readEventKey(calendarOf(lines.map((line) => `${name}${line}`)), null),
        );
        for (const each of [key, ...fields]) {
          const json = JSON.stringify(each);
          assert.ok(json.isWellFormed());
          assert.doesNotMatch(json, /\\u0000|\\ud[89a-f]/);
        }
      }),
    );
  });

  test('a higher SEQUENCE is newer, then a later DTSTAMP', () => {
    const versions = [
      { sequence: 0, stampMs: 5 },
      { sequence: 0, stampMs: 6 },
      { sequence: 1, stampMs: 0 },
    ];
    assert.deepEqual([...versions].reverse().sort(compareVersions), versions);
  });
});
