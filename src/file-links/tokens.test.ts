import assert from 'node:assert/strict';
import { test } from 'node:test';
import { linkTokensIn, newLinkToken } from './tokens.ts';

test('only the tokens of links are found, in HTML and in text', () => {
  const [one, two] = [newLinkToken(), newLinkToken()];
  const text = `<a href="https://mail.example/s/${one}">x</a> film (1 GB): https://mail.example/s/${two}, until /s/short /s/${one}x`;
  assert.deepEqual(linkTokensIn(text), [one, two]);
});
