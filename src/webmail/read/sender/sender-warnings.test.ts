import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { senderWarnings } from './sender-warnings.ts';

const KNOWN = {
  domains: ['acme.example', 'modern.com'],
  namesakes: [] as { name: string; address: string }[],
};
const from = (name: string | null, address: string) => ({
  from: [{ name, address }],
  reply_to: [] as { name: string | null; address: string }[],
});
const PROVED = { verdict: 'pass', text: '' } as const;
const kinds = (sender: Parameters<typeof senderWarnings>[0], known: typeof KNOWN, isList: boolean) =>
  senderWarnings(sender, PROVED, known, isList).map(({ kind }) => kind);

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
    // With what nobody sees in it, and letters that are only wider.
    for (const name of ['boss@ac\u200bme.example', 'boss＠acme．example', '\u2066boss@\u00adacme.example'])
      assert.deepEqual(kinds(from(name, 'x@evil.example'), KNOWN, false), ['name']);
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

  test('by what could not be proved: from a list only where it says that it is one of us', () => {
    const failed = { verdict: 'fail', text: 'It may be forged.' } as const;
    const forged = (address: string, isList: boolean) =>
      senderWarnings(from('Ann', address), failed, KNOWN, isList);
    assert.deepEqual(forged('me@acme.example', false), [{ kind: 'forged', text: 'It may be forged.' }]);
    assert.equal(forged('me@mail.acme.example', true).length, 1);
    assert.equal(forged('a@shop.example', false).length, 1);
    assert.equal(forged('a@shop.example', true).length, 0);
  });

  test('by the name of a member, from outside', () => {
    const known = { ...KNOWN, namesakes: [{ name: 'Ann Lee', address: 'ann@acme.example' }] };
    assert.deepEqual(kinds(from('Ann Lee', 'ann.lee@evil.example'), known, false), ['member']);
    assert.deepEqual(kinds(from('Ann Lee', 'ann@acme.example'), known, false), []);
  });
});
