import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { decodeFolderName, encodeFolderName } from './modified-utf7.ts';

for (const [name, text] of [
  ['Archive', 'Archive'],
  ['Entwürfe', 'Entw&APw-rfe'],
  ['a & b', 'a &- b'],
  ['v1.2', 'v1&AC4-2'],
  ['~peter/mail/台北/日本語', '~peter/mail/&U,BTFw-/&ZeVnLIqe-'],
  ['😀', '&2D3eAA-'],
] as const)
  test(`${name} is encoded as ${text}`, () => {
    assert.equal(encodeFolderName(name), text);
    assert.equal(decodeFolderName(text), name);
  });

for (const text of ['&', '&AP', '&A-', '&APw!-', 'ü', '&2D0-'])
  test(`${text} is not a valid name`, () => assert.equal(decodeFolderName(text), null));

test('any folder name can be encoded in ASCII without dots and decoded again, and decoding never throws', () => {
  fc.assert(
    fc.property(anyText(), (name) => {
      const text = encodeFolderName(name);
      assert.match(text, /^[\x20-\x2d\x2f-\x7e]*$/);
      assert.equal(decodeFolderName(text), name);
      decodeFolderName(name);
    }),
  );
});
