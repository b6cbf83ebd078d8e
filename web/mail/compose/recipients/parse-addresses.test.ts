import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatAddress, isAddress, parseAddresses } from './parse-addresses.ts';

test('pasted lists of recipients are split into names and addresses', () => {
  const of = (text: string) => parseAddresses(text).map(({ name, address }) => [name, address]);
  assert.deepEqual(of('Ann <ann@acme.example>, bo@acme.example;"Lee, Cy" <cy@acme.example>\n'), [
    ['Ann', 'ann@acme.example'],
    ['', 'bo@acme.example'],
    ['Lee, Cy', 'cy@acme.example'],
  ]);
  assert.deepEqual(of('a@acme.example b@acme.example'), [
    ['', 'a@acme.example'],
    ['', 'b@acme.example'],
  ]);
  assert.deepEqual(of('mailto:a@acme.example, b@acme.example (Bo B.)'), [
    ['', 'a@acme.example'],
    ['Bo B.', 'b@acme.example'],
  ]);
  assert.deepEqual(of(String.raw`"An \"A\" Ann" <ann@acme.example>`), [['An "A" Ann', 'ann@acme.example']]);
  assert.deepEqual(of('not an address, Bo O"Neil <bo@acme.example>'), [
    ['', 'not an address'],
    ['Bo O"Neil', 'bo@acme.example'],
  ]);
  assert.deepEqual(of(' ,; \n'), []);
});

test('an address is valid only with a local part and a domain of at least two labels', () => {
  for (const good of ['a@b.example', 'a.b+c@sub.b.example', 'jürgen@bücher.example', "o'neil@b-c.example"])
    assert.ok(isAddress(good), good);
  for (const bad of [
    'a',
    'a@b',
    '@b.example',
    'a@b..example',
    'a b@c.example',
    'a@-b.example',
    'a@b.example.',
  ])
    assert.ok(!isAddress(bad), bad);
});

test('formatted addresses are parsed to the same recipients, for any name', () => {
  const name = fc.string({ maxLength: 40 }).map((each) => each.replaceAll(/\s+/g, ' ').trim());
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 5 }), (names) => {
      const list = names.map((each, at) => ({ name: each, address: `p${at}@acme.example` }));
      assert.deepEqual(parseAddresses(list.map(formatAddress).join(', ')), list);
    }),
  );
});

test('parsed addresses are parts of the text, and long hostile text is parsed within 2 seconds', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => {
      for (const { address } of parseAddresses(text)) assert.ok(text.includes(address));
    }),
  );
  const begun = performance.now();
  parseAddresses('"<a@'.repeat(50_000));
  parseAddresses('a@b.example '.repeat(50_000));
  parseAddresses(`${'a-'.repeat(50_000)}@${'b-'.repeat(50_000)}`);
  assert.ok(performance.now() - begun < 2000);
});
