import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeSending, type SendingRecord } from './thresholds.ts';

const NOTHING: SendingRecord = { tried: 0, refused: 0, bounced: 0, triedInWeek: 0, complained: 0 };

const CASES: [what: string, record: Partial<SendingRecord>, verdict: 'refused' | 'complained' | null][] = [
  ['nothing was sent', {}, null],
  ['few recipients, all refused', { tried: 19, refused: 19 }, null],
  ['half of twenty rejected', { tried: 20, refused: 10 }, null],
  ['most of twenty rejected', { tried: 20, refused: 11 }, 'refused'],
  ['a quarter of 200 rejected', { tried: 200, refused: 50 }, null],
  ['more than a quarter of 200 rejected', { tried: 200, refused: 51 }, 'refused'],
  ['more than a tenth of 1,000 rejected', { tried: 1_000, refused: 101 }, 'refused'],
  ['two complaints about two messages', { triedInWeek: 2, complained: 2 }, null],
  ['three complaints about 30 messages', { triedInWeek: 30, complained: 3 }, 'complained'],
  ['three complaints about 1,000 messages', { triedInWeek: 1_000, complained: 3 }, null],
  ['four complaints about 1,000 messages', { triedInWeek: 1_000, complained: 4 }, 'complained'],
  ['bounce reports without rejections, because reports can be forged', { tried: 40, bounced: 40 }, null],
  ['bounce reports beside rejections', { tried: 40, refused: 11, bounced: 20 }, 'refused'],
];

describe('the lock of a mailbox', () => {
  for (const [what, record, verdict] of CASES)
    it(`the lock of a mailbox ${verdict === null ? 'is not set' : `is set for ${verdict}`}: ${what}`, () =>
      assert.equal(judgeSending({ ...NOTHING, ...record }), verdict));
});
