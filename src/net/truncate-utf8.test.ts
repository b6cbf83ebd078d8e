import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { truncateUtf8, decodeTruncated } from './truncate-utf8.ts';

test('a truncated text is the longest prefix of whole characters that fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, maxBytes) => {
      const cut = truncateUtf8(text, maxBytes);
      const bytes = Buffer.byteLength(cut);
      assert.ok(text.startsWith(cut) && cut.isWellFormed() && bytes <= maxBytes);
      if (cut !== text) assert.ok(bytes > maxBytes - 4);
    }),
  );
});

test('any bytes are decoded to a text without NUL that is not longer than the limit', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(60), (bytes, maxBytes) => {
      const { text, isTruncated } = decodeTruncated(Buffer.from(bytes), maxBytes);
      const whole = Buffer.from(bytes).toString().replaceAll('\u0000', '\ufffd');
      assert.ok(Buffer.byteLength(text) <= maxBytes && text.isWellFormed() && !text.includes('\u0000'));
      assert.equal(isTruncated, text !== whole);
    }),
  );
});

test('valid UTF-8 is decoded unchanged and truncated like the same text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, maxBytes) => {
      assert.equal(decodeTruncated(Buffer.from(text), maxBytes).text, truncateUtf8(text, maxBytes));
    }),
  );
});

test('NUL and invalid UTF-8 in bytes are replaced', () => {
  assert.equal(
    decodeTruncated(Buffer.from([0x61, 0, 0xff, 0x62, 0xe2, 0x82]), 100).text,
    'a\ufffd\ufffdb\ufffd',
  );
});
