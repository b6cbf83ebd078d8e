import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { parseDomainName } from './domain-name.ts';

const HOSTED = 'hosted.example';

describe('a domain name may be', () => {
  const cases: [input: string, name: string][] = [
    ['acme.example', 'acme.example'],
    ['ACME.Example', 'acme.example'],
    ['mail.acme.co.uk', 'mail.acme.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['acme.test', 'acme.test'],
    ['acme.localhost', 'acme.localhost'],
    ['acme.github.io', 'acme.github.io'],
    ['city.kawasaki.jp', 'city.kawasaki.jp'],
    ['nothosted.example', 'nothosted.example'],
    ['hosted.example.com', 'hosted.example.com'],
    [`${'a'.repeat(63)}.${'b'.repeat(63)}.example`, `${'a'.repeat(63)}.${'b'.repeat(63)}.example`],
  ];
  for (const [input, name] of cases) {
    test(input.slice(0, 40), () => assert.equal(parseDomainName(input, HOSTED), name));
  }
});

describe('a domain name may not be', () => {
  const cases: [input: string, why: RegExp][] = [
    ['', /empty/],
    ['acme', /has no dot/],
    ['localhost', /has no dot/],
    ['com', /has no dot/],
    ['acme.example.', /ends with a dot/],
    ['.acme.example', /begins with a dot/],
    ['acme..example', /two dots/],
    ['co.uk', /public suffix/],
    ['CO.UK', /public suffix/],
    ['github.io', /public suffix/],
    ['foo.kawasaki.jp', /public suffix/],
    ['192.0.2.1', /ends in a number/],
    ['[192.0.2.1]', /"\["/],
    ['2001:db8::1', /":"/],
    ['https://acme.example', /":"/],
    ['me@acme.example', /@/],
    ['acme example', /space/],
    ['acme.example\r\nX: y', /line break/],
    ['_dmarc.acme.example', /"_"/],
    ['-acme.example', /hyphen/],
    ['*.acme.example', /"\*"/],
    ['xn--a.example', /UTS 46/],
    [HOSTED, /hosted domain/],
    ['Hosted.Example', /hosted domain/],
    [`a.b.${HOSTED}`, /hosted domain/],
    [`${'a'.repeat(60)}.`.repeat(3) + 'a'.repeat(10) + '.example', /longer than 184/],
    [`${'a'.repeat(64)}.example`, /label longer/],
    ['a.'.repeat(200) + 'example', /longer than 253/],
  ];
  for (const [input, why] of cases) {
    test(JSON.stringify(input.slice(0, 40)), () => {
      const parsed = parseDomainName(input, HOSTED);
      assert.ok(typeof parsed === 'object', String(parsed));
      assert.match(parsed.error, why);
    });
  }
});

test('every accepted name is in normal form: lower-case ASCII, and unchanged when parsed again', () => {
  const label = fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' });
  const text = fc.oneof(
    anyText({ maxLength: 300 }),
    fc.domain(),
    fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
  );
  fc.assert(
    fc.property(text, (input) => {
      const name = parseDomainName(input, HOSTED);
      if (typeof name === 'object') return;
      assert.match(name, /^[a-z0-9-]+(\.[a-z0-9-]+)+$/);
      assert.equal(parseDomainName(name, HOSTED), name);
    }),
  );
});
