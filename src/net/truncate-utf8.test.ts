import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { truncateUtf8, decodeTruncated } from './truncate-utf8.ts';

test('a cut text is a start of the text, whole characters, as long as fits', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, maxBytes) => {
      const cut = truncateUtf8(text, maxBytes);
      const bytes = Buffer.byteLength(cut);
      assert.ok(text.startsWith(cut) && cut.isWellFormed() && bytes <= maxBytes);
      if (cut !== text) assert.ok(bytes > maxBytes - 4);
    }),
  );
});

test('kept bytes are text without NUL within the limit, whatever the bytes are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), fc.nat(60), (bytes, maxBytes) => {
      const text = decodeTruncated(Buffer.from(bytes), maxBytes);
      assert.ok(Buffer.byteLength(text) <= maxBytes && text.isWellFormed() && !text.includes('\u0000'));
    }),
  );
});

test('bytes that are a text come back as they are, cut where it is too long', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.nat(60), (text, maxBytes) => {
      assert.equal(decodeTruncated(Buffer.from(text), maxBytes), truncateUtf8(text, maxBytes));
    }),
  );
});

test('NUL and what is not UTF-8 are replaced', () => {
  assert.equal(decodeTruncated(Buffer.from([0x61, 0, 0xff, 0x62, 0xe2, 0x82]), 100), 'a\ufffd\ufffdb\ufffd');
});
