import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cameOverList } from './came-over-list.ts';
import { type ListKind, senderWarnings } from './sender-warnings.ts';

const KNOWN = {
  domains: ['acme.example', 'modern.com'],
  others: ['example.com'],
  written: [] as string[],
  namesakes: [] as { name: string; address: string }[],
};
const from = (name: string | null, address: string) => ({
  from: [{ name, address }],
  reply_to: [] as { name: string | null; address: string }[],
});
const PROVED = { verdict: 'pass', text: '' } as const;
const kinds = (sender: Parameters<typeof senderWarnings>[0], known: typeof KNOWN, list: ListKind) =>
  senderWarnings(sender, PROVED, known, list).map(({ kind }) => kind);

describe('warnings about a sender', () => {
  for (const [address, expected] of [
    ['a@acme.example', []],
    ['a@mail.paypal.com', []],
    ['a@paypa1.com', ['look-alike']],
    ['a@xn--pypal-4ve.com', ['look-alike']],
    ['a@pаypal.com', ['look-alike']],
    ['a@modem.com', ['look-alike']],
    ['a@rnicrosoft.com', ['look-alike']],
    ['a@paypaI.com', ['look-alike']],
    ['a@exarnple.com', ['look-alike']],
    ['a@mail.example.com', []],
    ['a@paypal.com.evil.net', ['look-alike']],
    ['a@acme.example.evil.net', ['look-alike']],
    ['a@dhi.com', []],
    ['a@shop.example', []],
    ['a@münchen.de', []],
  ] as const)
    test(`the sender ${address} is ${expected.length === 0 ? 'not suspicious' : 'suspicious'}`, () =>
      assert.deepEqual(kinds(from('A', address), KNOWN, 'none'), expected));

  test('a sender is suspicious if the name shows another address', () => {
    assert.deepEqual(kinds(from('boss@acme.example', 'x@evil.example'), KNOWN, 'none'), ['name']);
    // These names have invisible characters or full-width letters.
    for (const name of ['boss@ac\u200bme.example', 'boss＠acme．example', '\u2066boss@\u00adacme.example'])
      assert.deepEqual(kinds(from(name, 'x@evil.example'), KNOWN, 'none'), ['name']);
    assert.deepEqual(kinds(from('x@evil.example (boss@acme.example)', 'x@evil.example'), KNOWN, 'none'), [
      'name',
    ]);
    assert.deepEqual(kinds(from('x@evil.example', 'x@evil.example'), KNOWN, 'none'), []);
  });

  test('a sender is suspicious if replies are sent to another domain, except for mailing lists', () => {
    const message = { ...from('A', 'a@shop.example'), reply_to: [{ name: null, address: 'b@evil.example' }] };
    assert.deepEqual(kinds(message, KNOWN, 'none'), ['reply-to']);
    assert.deepEqual(kinds(message, KNOWN, 'proved'), []);
    assert.deepEqual(
      kinds(
        { ...message, reply_to: [{ name: null, address: 'b@help.shop.example' }] },
        { ...KNOWN, domains: [] },
        'none',
      ),
      [],
    );
  });

  test('a sender is suspicious if the address resembles an address to which the mailbox has written', () => {
    const known = { ...KNOWN, written: ['ann.smith@gmail.com', 'bob@gmail.com'] };
    assert.deepEqual(kinds(from('A', 'Ann.SmIth@gmail.com'), known, 'none'), []);
    assert.deepEqual(kinds(from('A', 'ann.smlth@gmail.com'), known, 'none'), ['look-alike']);
    assert.deepEqual(kinds(from('A', 'bo.b@gmail.com'), known, 'none'), []);
  });

  test('a sender is suspicious if authentication failed, except for proved mailing lists with senders outside our domains', () => {
    const failed = { verdict: 'fail', text: 'It may be forged.' } as const;
    const forged = (address: string, list: ListKind) =>
      senderWarnings(from('Ann', address), failed, KNOWN, list);
    assert.deepEqual(forged('me@acme.example', 'none'), [{ kind: 'forged', text: 'It may be forged.' }]);
    assert.equal(forged('me@mail.acme.example', 'proved').length, 1);
    assert.equal(forged('a@shop.example', 'none').length, 1);
    assert.equal(forged('a@shop.example', 'proved').length, 0);
    assert.match(forged('a@shop.example', 'said')[0]?.text ?? '', /^It may be forged\. Mailing lists /);
  });

  test('a sender is suspicious with the name of a member and an address outside our domains', () => {
    const known = { ...KNOWN, namesakes: [{ name: 'Ann Lee', address: 'ann@acme.example' }] };
    assert.deepEqual(kinds(from('Ann Lee', 'ann.lee@evil.example'), known, 'none'), ['member']);
    assert.deepEqual(kinds(from('Ann Lee', 'ann@acme.example'), known, 'none'), []);
  });
});

describe('a mailing list is proved', () => {
  const FORGED = {
    spf: { result: 'pass', domain: 'evil.example' },
    dkim: [{ result: 'pass', domain: 'evil.example', selector: 's', algorithm: 'rsa-sha256' }],
    dmarc: { result: 'fail', domain: 'shop.example', published: 'none' },
    arc: { result: 'none', sealers: [] },
    iprev: { result: 'pass', name: null },
    policy: 'none',
  } as const;
  const ID = { name: 'list-id', value: 'Talk <talk.lists.example.org>' };
  for (const [what, fields, found, expected] of [
    ['without list fields', [], FORGED, 'none'],
    ['by list fields alone', [ID], FORGED, 'said'],
    ['by a List-Id without a domain', [{ ...ID, value: 'x' }], FORGED, 'said'],
    ['if the message has two List-Ids', [{ ...ID, value: '<x.evil.example>' }, ID], FORGED, 'said'],
    [
      'by the URL in a List-Unsubscribe field',
      [{ name: 'list-unsubscribe', value: '<https://evil.example>' }],
      FORGED,
      'said',
    ],
    ['by a signature', [ID], { ...FORGED, dkim: [{ ...FORGED.dkim[0], domain: 'example.org' }] }, 'proved'],
    [
      'by an invalid signature',
      [ID],
      { ...FORGED, dkim: [{ ...FORGED.dkim[0], domain: 'example.org', result: 'fail' }] },
      'said',
    ],
    ['by the server', [ID], { ...FORGED, spf: { result: 'pass', domain: 'lists.example.org' } }, 'proved'],
    [
      'by a trusted forwarder',
      [ID],
      { ...FORGED, dmarc: { ...FORGED.dmarc, published: 'reject' }, arc: { result: 'pass', sealers: ['x'] } },
      'proved',
    ],
    ['by the author', [ID], { ...FORGED, dmarc: { ...FORGED.dmarc, result: 'pass' } }, 'proved'],
    ['if authentication was not checked', [ID], null, 'proved'],
  ] as const)
    test(`a mailing list is ${expected === 'proved' ? 'proved' : 'not proved'} ${what}`, () =>
      assert.equal(cameOverList(fields, found), expected));
});
