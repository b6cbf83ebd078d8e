import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeSending, type SendingRecord } from './thresholds.ts';

const NOTHING: SendingRecord = { tried: 0, refused: 0, bounced: 0, triedInWeek: 0, complained: 0 };

const CASES: [what: string, record: Partial<SendingRecord>, verdict: 'refused' | 'complained' | null][] = [
  ['nothing was sent', {}, null],
  ['few recipients, all refused', { tried: 19, refused: 19 }, null],
  ['half of twenty refused', { tried: 20, refused: 10 }, null],
  ['most of twenty refused', { tried: 20, refused: 11 }, 'refused'],
  ['a quarter of 200 refused', { tried: 200, refused: 50 }, null],
  ['more than a quarter of 200 refused', { tried: 200, refused: 51 }, 'refused'],
  ['more than a tenth of 1,000 refused', { tried: 1_000, refused: 101 }, 'refused'],
  ['two complaints of few', { triedInWeek: 2, complained: 2 }, null],
  ['three complaints of few', { triedInWeek: 30, complained: 3 }, 'complained'],
  ['three complaints of 1,000', { triedInWeek: 1_000, complained: 3 }, null],
  ['four complaints of 1,000', { triedInWeek: 1_000, complained: 4 }, 'complained'],
  ['reports alone, which anybody may forge', { tried: 40, bounced: 40 }, null],
  ['as many reports as refusals', { tried: 40, refused: 11, bounced: 20 }, 'refused'],
];

describe('a mailbox', () => {
  for (const [what, record, verdict] of CASES)
    it(`${what}: ${verdict ?? 'no lock'}`, () =>
      assert.equal(judgeSending({ ...NOTHING, ...record }), verdict));
});
