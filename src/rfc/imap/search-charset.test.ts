import assert from 'node:assert/strict';
import { test } from 'node:test';
import { charsetDecoder } from './search-charset.ts';

test('search texts are decoded like mail, but neither guessed nor repaired', () => {
  for (const [charset, octets, text] of [
    [null, '\xc3\xbc', 'ü'],
    ['US-ASCII', '\xc3\xbc', 'ü'],
    ['KS_C_5601-1987', '\x94\xee', '뷁'],
    ['cp932', '\x83\x81', 'メ'],
    ['ISO-2022-JP', '\x1b$B%a\x1b(B', 'メ'],
    ['utf-8', '\xfc', null],
    ['euc-kr', '\xff', null],
  ] as const)
    assert.equal(charsetDecoder(charset)?.(octets), text, String(charset));
  for (const charset of ['x-no-such-charset', 'unknown-8bit', ''])
    assert.equal(charsetDecoder(charset), null);
});
