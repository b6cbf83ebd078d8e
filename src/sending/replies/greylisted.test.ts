import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { greylisted } from './greylisted.ts';

const MINUTE = 60_000;

/** The expected wait in milliseconds. Null: the reply is not greylisting. */
const REPLIES: readonly [replyCode: number, text: string, retryAfterMs: number | null][] = [
  [
    450,
    '<a@b.example>: Recipient address rejected: Greylisted for 300 seconds (see http://isg.ee.ethz.ch/tools/postgrey/)',
    5 * MINUTE,
  ],
  [
    450,
    '<a@b.example>: Recipient address rejected: Greylisted, see http://postgrey.schweikert.ch/',
    5 * MINUTE,
  ],
  [451, '4.7.1 Greylisting in action, please come back in 00:04:59', 299_000],
  [451, '4.7.1 Greylisting in action, please come back in 10:00', 10 * MINUTE],
  [451, '4.7.1 Greylisted, try again in 7 minutes', 7 * MINUTE],
  [451, 'Please try again later (TEMPGREYLIST)', 5 * MINUTE],
  [450, '4.7.1 graylisted, retry in 2 hours', 120 * MINUTE],
  [451, 'Temporarily deferred, try again in 60 seconds.', MINUTE],
  [450, 'Please wait 180 seconds and try again', 3 * MINUTE],
  [450, 'grey-listed; retry in 2m', 2 * MINUTE],
  [451, 'greylisted, retry=600', 10 * MINUTE],
  [451, 'gl: first time from this host, retry=600', 10 * MINUTE],
  [450, 'greylisted for 1 second', 10_000],
  [450, 'greylisted for 90000 seconds', 360 * MINUTE],
  [450, 'greylisted for 99999999999999999999 seconds', 5 * MINUTE],
  [421, 'Too many connections, try again in 5 minutes', null],
  [452, '4.2.2 mailbox full, try again in 24 hours', null],
  [451, '4.7.651 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.', null],
  [450, '4.3.2 Please try again later', null],
  [550, 'greylisted', null],
  [250, 'greylisted', null],
];

describe('greylisted', () => {
  for (const [replyCode, text, retryAfterMs] of REPLIES) {
    it(`returns the wait for ${replyCode} ${text}`, () => {
      const found = greylisted({ replyCode, enhancedCode: null, text });
      assert.deepEqual(found, retryAfterMs === null ? null : { retryAfterMs });
    });
  }

  it('returns a wait between 10 seconds and 6 hours for any text', () => {
    const pieces = fc.constantFrom('greylisted', ' in ', '5', '0', ':', '99999', ' minutes', 'h', '\n', '😀');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (words) => {
        const found = greylisted({ replyCode: 450, enhancedCode: null, text: words.join('') });
        assert.ok(found === null || (found.retryAfterMs >= 10_000 && found.retryAfterMs <= 6 * 3_600_000));
      }),
    );
  });
});
