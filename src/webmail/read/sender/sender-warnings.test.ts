import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { senderWarnings } from './sender-warnings.ts';

const KNOWN = { domains: ['acme.example', 'modern.com'], namesakes: [] };
const from = (name: string | null, address: string) => ({
  from: [{ name, address }],
  reply_to: [] as { name: string | null; address: string }[],
});
const kinds = (...asked: Parameters<typeof senderWarnings>) =>
  senderWarnings(...asked).map(({ kind }) => kind);

describe('a sender gives itself away', () => {
  for (const [address, expected] of [
    ['a@acme.example', []],
    ['a@mail.paypal.com', []],
    ['a@paypa1.com', ['look-alike']],
    ['a@xn--pypal-4ve.com', ['look-alike']],
    ['a@pаypal.com', ['look-alike']],
    ['a@modem.com', ['look-alike']],
    ['a@rnicrosoft.com', ['look-alike']],
    ['a@shop.example', []],
    ['a@münchen.de', []],
  ] as const)
    test(address, () => assert.deepEqual(kinds(from('A', address), KNOWN, false), expected));

  test('by a name that shows another address', () => {
    assert.deepEqual(kinds(from('boss@acme.example', 'x@evil.example'), KNOWN, false), ['name']);
    assert.deepEqual(kinds(from('x@evil.example', 'x@evil.example'), KNOWN, false), []);
  });

  test('by answers that go elsewhere, but not those of a list', () => {
    const message = { ...from('A', 'a@shop.example'), reply_to: [{ name: null, address: 'b@evil.example' }] };
    assert.deepEqual(kinds(message, KNOWN, false), ['reply-to']);
    assert.deepEqual(kinds(message, KNOWN, true), []);
    assert.deepEqual(
      kinds(
        { ...message, reply_to: [{ name: null, address: 'b@help.shop.example' }] },
        { ...KNOWN, domains: [] },
        false,
      ),
      [],
    );
  });

  test('by the name of a member, from outside', () => {
    const known = { ...KNOWN, namesakes: [{ name: 'Ann Lee', address: 'ann@acme.example' }] };
    assert.deepEqual(kinds(from('Ann Lee', 'ann.lee@evil.example'), known, false), ['member']);
    assert.deepEqual(kinds(from('Ann Lee', 'ann@acme.example'), known, false), []);
  });
});
