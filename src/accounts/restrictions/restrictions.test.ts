import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { AppError } from '../../model/app-error.ts';
import * as clock from '../../model/clock.ts';
import { MAX_ENTRIES, readRestrictions, type Restrictions, UNRESTRICTED } from './restrictions.ts';
import { SendingRestrictions } from './sending-restrictions.ts';
import { Networks } from '../../net/networks.ts';

const read = (restrictions: Partial<Restrictions>) => readRestrictions({ ...UNRESTRICTED, ...restrictions });

function errorsOf(restrictions: Partial<Restrictions>): Readonly<Record<string, string>> {
  try {
    read(restrictions);
  } catch (error) {
    if (error instanceof AppError && error.code === 'validation-failed') return error.errors ?? {};
    throw error;
  }
  return {};
}

type List = 'fromDomains' | 'recipients' | 'addresses';

const NORMAL_FORMS: readonly [list: List, written: string, stored: string][] = [
  ['fromDomains', 'acme.example', 'acme.example'],
  ['fromDomains', ' ACME.Example ', 'acme.example'],
  ['fromDomains', '*.acme.example', '*.acme.example'],
  ['fromDomains', 'bücher.example', 'xn--bcher-kva.example'],
  ['recipients', 'Ada@ACME.example', 'ada@acme.example'],
  ['recipients', '*@acme.example', '*@acme.example'],
  ['recipients', '*@*.Acme.example', '*@*.acme.example'],
  ['recipients', '*@bücher.example', '*@xn--bcher-kva.example'],
  ['recipients', '"a b"@acme.example', '"a b"@acme.example'],
  ['addresses', '192.0.2.7', '192.0.2.7'],
  ['addresses', '::ffff:192.0.2.7', '192.0.2.7'],
  ['addresses', '192.0.2.0/24', '192.0.2.0/24'],
  ['addresses', '2001:DB8::7', '2001:db8::7'],
  ['addresses', '2001:db8::/32', '2001:db8::/32'],
];

test('restrictions are stored in a normal form', () => {
  for (const [list, written, stored] of NORMAL_FORMS)
    assert.deepEqual(read({ [list]: [written] })[list], [stored], written);
  assert.deepEqual(read({ recipients: ['a@b.example', 'A@B.example'] }).recipients, ['a@b.example']);
});

const INVALID: readonly [list: List, entry: string][] = [
  ['fromDomains', '@acme.example'],
  ['fromDomains', '*@acme.example'],
  ['fromDomains', 'shop@acme.example'],
  ['fromDomains', '*'],
  ['fromDomains', '*.'],
  ['fromDomains', 'a.*.example'],
  ['fromDomains', '[192.0.2.7]'],
  ['fromDomains', ''],
  ['recipients', 'acme.example'],
  ['recipients', '@acme.example'],
  ['recipients', '*'],
  ['recipients', '*@*'],
  ['recipients', 'a*@acme.example'],
  ['recipients', 'Ada <ada@acme.example>'],
  ['recipients', `*@${'a'.repeat(400)}`],
  ['addresses', 'localhost'],
  ['addresses', '192.0.2.0/33'],
  ['addresses', '0.0.0.0/0'],
  ['addresses', '::/0'],
  ['addresses', '2001:db8::/129'],
  ['addresses', '::ffff:192.0.2.0/120'],
  ['addresses', 'fe80::1%eth0'],
  ['addresses', '192.0.2.0/24/7'],
  ['addresses', '192.0.2.0/-1'],
];
const FIELDS = { fromDomains: 'from_domains', recipients: 'recipients', addresses: 'addresses' } as const;

test('an invalid domain, address pattern or network is reported as an error of its field', () => {
  for (const [list, entry] of INVALID) {
    const errors = errorsOf({ [list]: [entry] });
    assert.deepEqual(Object.keys(errors), [FIELDS[list]], entry);
  }
  assert.match(errorsOf({ recipients: ['acme.example'] })['recipients'] ?? '', /\*@acme\.example/);
});

test('an empty list, a list that is too long, and an expiry in the past are reported as errors of their fields', () => {
  for (const [list, field] of Object.entries(FIELDS)) {
    assert.deepEqual(Object.keys(errorsOf({ [list]: [] })), [field]);
    const many = Array.from({ length: MAX_ENTRIES + 1 }, (_, at) => `a${at}.example`);
    assert.match(errorsOf({ [list]: many })[field] ?? '', /at most 100/);
  }
  assert.deepEqual(Object.keys(errorsOf({ expiresAt: clock.now() })), ['expires_at']);
  assert.deepEqual(Object.keys(errorsOf({ expiresAt: new Date(Number.NaN) })), ['expires_at']);
  const all = errorsOf({ fromDomains: [''], recipients: [''], addresses: [''], expiresAt: new Date(0) });
  assert.equal(Object.keys(all).length, 4);
});

test('any text is either rejected or normalized to a form that another pass does not change', () => {
  const texts = fc.oneof(anyText(), fc.stringMatching(/^[*@.a-z0-9:/[\]"-]{0,40}$/), fc.ipV4(), fc.ipV6());
  fc.assert(
    fc.property(texts, fc.constantFrom<List>('fromDomains', 'recipients', 'addresses'), (text, list) => {
      if (Object.keys(errorsOf({ [list]: [text] })).length > 0) return;
      const stored = read({ [list]: [text] });
      assert.deepEqual(readRestrictions(stored), stored);
      new SendingRestrictions(stored);
      new Networks(stored.addresses ?? []);
    }),
  );
});

const LISTED = read({
  fromDomains: ['acme.example', '*.shop.example'],
  recipients: ['ada@dst.example', '*@acme.example', '*@*.acme.example', 'Jörg@bücher.example'],
});

test('a key allows only the domains and recipients on its lists', () => {
  const restrictions = new SendingRestrictions(LISTED);
  for (const [domain, isAllowed] of [
    ['acme.example', true],
    ['a.acme.example', false],
    ['xacme.example', false],
    ['shop.example', false],
    ['a.shop.example', true],
    ['b.a.shop.example', true],
    ['example', false],
  ] as const)
    assert.equal(restrictions.allowsFrom(domain), isAllowed, domain);
  for (const [address, isAllowed] of [
    ['ada@dst.example', true],
    ['Ada@dst.example', true],
    ['bob@dst.example', false],
    ['anybody@acme.example', true],
    ['anybody@a.acme.example', true],
    ['anybody@xacme.example', false],
    ['anybody@acme.example.dst.example', false],
    ['"x@acme.example"@dst.example', false],
    ['"ada@dst.example"@other.example', false],
    ['JÖRG@xn--bcher-kva.example', true],
    ['ada@[192.0.2.7]', false],
  ] as const)
    assert.equal(restrictions.allowsRecipient(address), isAllowed, address);
});

test('a missing list restricts nothing', () => {
  const restrictions = new SendingRestrictions({ fromDomains: null, recipients: null });
  assert.ok(restrictions.allowsFrom('any.example'));
  assert.ok(restrictions.allowsRecipient('any@any.example'));
});

test('a source address matches the listed addresses and networks, in any notation', () => {
  const sources = new Networks(['192.0.2.7', '198.51.100.0/24', '2001:db8::/32', '2001:db9::7']);
  for (const [ip, isIn] of [
    ['192.0.2.7', true],
    ['::ffff:192.0.2.7', true],
    ['::ffff:c000:207', true],
    ['192.0.2.8', false],
    ['198.51.100.255', true],
    ['198.51.101.0', false],
    ['2001:db8:ffff::1', true],
    ['2001:DB9:0::7', true],
    ['2001:db9::8', false],
    ['fe80::1%eth0', false],
    ['', false],
    ['unknown', false],
    ['198.51.100.0/24', false],
  ] as const)
    assert.equal(sources.includes(ip), isIn, ip);
});
