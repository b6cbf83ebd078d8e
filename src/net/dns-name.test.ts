import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import ipaddr from 'ipaddr.js';
import { readDnsName, reverseLabels } from './dns-name.ts';

describe('readDnsName', () => {
  const names: [text: string, name: string | null][] = [
    ['MX.Example.', 'mx.example'],
    ['_dmarc.acme.example', '_dmarc.acme.example'],
    ['a-b_c.example', 'a-b_c.example'],
    ['localhost', 'localhost'],
    ['1.2.3.4', null],
    ['x.0x7f', null],
    ['', null],
    ['.', null],
    ['a..example', null],
    ['-a.example', null],
    ['a-.example', null],
    ['a b.example', null],
    ['a\\.b.example', null],
    ['a\0.example', null],
    ['a\n.example', null],
    ['bücher.example', null],
    [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
    [`${'a'.repeat(64)}.example`, null],
    [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
    [`${'a.'.repeat(126)}aa`, null],
    ['a.'.repeat(100_000), null],
  ];
  for (const [text, name] of names) {
    test(`reads "${text.slice(0, 30)}" as ${name?.slice(0, 30) ?? 'null'}`, () => {
      assert.equal(readDnsName(text), name);
    });
  }

  test('returns only valid names, and returns a valid name unchanged', () => {
    fc.assert(
      fc.property(fc.oneof(anyText(), fc.domain()), (text) => {
        const name = readDnsName(text);
        if (name === null) return;
        assert.match(name, /^[a-z0-9._-]{1,253}$/);
        assert.equal(readDnsName(name), name);
      }),
    );
  });
});

// The examples of RFC 1035, section 3.5, and of RFC 3596, section 2.5.
const REVERSED: [address: string, labels: string][] = [
  ['10.2.0.52', '52.0.2.10'],
  ['4321:0:1:2:3:4:567:89ab', 'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4'],
];
for (const [address, labels] of REVERSED)
  test(`the labels of ${address} are ${labels}`, () =>
    assert.equal(reverseLabels(ipaddr.parse(address)), labels));
