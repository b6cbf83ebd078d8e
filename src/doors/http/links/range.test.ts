import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestedRange } from './range.ts';

const WHOLE = [200, 0, 10];

describe('requestedRange for a file of ten bytes', () => {
  for (const [range, expected] of [
    [undefined, WHOLE],
    ['bytes=0-', [206, 0, 10]],
    ['bytes=0-0', [206, 0, 1]],
    ['bytes=3-5', [206, 3, 6]],
    ['BYTES= 3 - 5 ', [206, 3, 6]],
    ['bytes=9-9999999999999999', [206, 9, 10]],
    ['bytes=-3', [206, 7, 10]],
    ['bytes=-99', [206, 0, 10]],
    ['bytes=10-', null],
    ['bytes=-0', null],
    ['bytes=5-3', WHOLE],
    ['bytes=0-1,3-4', WHOLE],
    [`bytes=${'0-,'.repeat(5_000)}0-`, WHOLE],
    ['bytes=-', WHOLE],
    ['bytes=', WHOLE],
    ['bytes=1e1-', WHOLE],
    ['bytes=0x1-', WHOLE],
    ['bytes=+1-', WHOLE],
    ['bytes=99999999999999999999-', WHOLE],
    ['lines=1-2', WHOLE],
    ['', WHOLE],
  ] as const)
    test(`parses the header ${String(range).slice(0, 40)}`, () => {
      const parsed = requestedRange(range, 10, true);
      assert.deepEqual(parsed === null ? null : [parsed.status, parsed.start, parsed.end], expected);
    });

  test('returns the whole file if the range is for another version of the file', () => {
    assert.deepEqual(requestedRange('bytes=3-5', 10, false), { status: 200, start: 0, end: 10 });
  });

  test('rejects any range of an empty file', () => {
    assert.equal(requestedRange('bytes=0-', 0, true), null);
    assert.deepEqual(requestedRange(undefined, 0, true), { status: 200, start: 0, end: 0 });
  });
});
