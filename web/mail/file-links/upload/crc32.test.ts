import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as zlib from 'node:zlib';
import { crc32 } from './crc32.ts';

void test('the CRC-32 is the same as in zip, for a text in one piece or several pieces', () => {
  const bytes = Uint8Array.from({ length: 1_000 }, (_, at) => (at * 7) ^ (at >> 3));
  assert.equal(crc32(new TextEncoder().encode('123456789')), 0xcb_f4_39_26);
  assert.equal(crc32(bytes.subarray(300), crc32(bytes.subarray(0, 300))), zlib.crc32(bytes));
  assert.equal(crc32(new Uint8Array()), 0);
});
