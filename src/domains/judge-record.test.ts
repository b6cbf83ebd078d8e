import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { type ExpectedRecord, expectedRecords } from './expected-records.ts';
import { judgeMx, judgeTxt } from './judge-record.ts';

const PUBLIC_KEY = `MIIBIjAN${'A'.repeat(300)}IDAQAB`;
const RECORDS = expectedRecords(
  'acme.example',
  [{ selector: 's', algorithm: 'rsa-sha256', publicKey: PUBLIC_KEY, state: 'active', keepUntil: null }],
  'mx.posthorn.example',
);

function expected(kind: ExpectedRecord['record']): ExpectedRecord {
  const found = RECORDS.find(({ record }) => record === kind);
  assert.ok(found);
  return found;
}

const txt = (kind: ExpectedRecord['record'], records: readonly string[]) =>
  judgeTxt(expected(kind), { outcome: 'found', records });

/** Without an error pattern, the record must be verified. */
type Case = [name: string, records: string[], error?: RegExp];

function cases(kind: 'DKIM' | 'SPF' | 'DMARC', table: Case[]): void {
  describe(kind, () => {
    for (const [name, records, error] of table) {
      test(`${error === undefined ? 'is verified' : 'fails'} with ${name}`, () => {
        const check = txt(kind, records);
        assert.equal(check.status, error === undefined ? 'verified' : 'failed');
        assert.deepEqual(check.found, records);
        if (error === undefined) assert.equal(check.error, null);
        else assert.match(check.error ?? '', error);
      });
    }
  });
}

cases('DKIM', [
  ['the record shown', [expected('DKIM').value]],
  ['only the key', [`p=${PUBLIC_KEY}`]],
  [
    'folded key data, in another order',
    [`p=${PUBLIC_KEY.slice(0, 50)} \t${PUBLIC_KEY.slice(50)}; k=rsa;v=DKIM1`],
  ],
  ['further tags', [`v=DKIM1; t=s; k=rsa; n=hello; p=${PUBLIC_KEY};`]],
  ['another key', ['v=DKIM1; k=rsa; p=MIIBother'], /not the one shown/],
  ['a revoked key', ['v=DKIM1; k=rsa; p='], /not the one shown/],
  ['a truncated key', [`v=DKIM1; k=rsa; p=${PUBLIC_KEY.slice(0, 200)}`], /cut off/],
  ['another algorithm', [`v=DKIM1; k=ed25519; p=${PUBLIC_KEY}`], /not the one shown/],
  ['another version', [`v=DKIM2; p=${PUBLIC_KEY}`], /is not a DKIM key/],
  ['two records', [expected('DKIM').value, 'v=DKIM1; p=old'], /2 TXT records/],
  ['other text', ['hello'], /is not a DKIM key/],
  [
    'a key without its middle',
    [`v=DKIM1; k=rsa; p=${PUBLIC_KEY.slice(0, 100)}${PUBLIC_KEY.slice(200)}`],
    /cut off/,
  ],
  [
    'another key with the same beginning and length',
    [`v=DKIM1; k=rsa; p=${PUBLIC_KEY.slice(0, -8)}BBIDAQAB`],
    /not the one shown/,
  ],
  ['quotes in the value', [`"${expected('DKIM').value}"`], /quotation marks/],
  [
    'quotes between its parts',
    [`${expected('DKIM').value.slice(0, 200)}" "${expected('DKIM').value.slice(200)}`],
    /quotation marks/,
  ],
  ['backslashes', [expected('DKIM').value.replaceAll(';', '\\;')], /backslashes/],
  ['quotes around another key', ['"v=DKIM1; k=rsa; p=MIIBother"'], /is not a DKIM key|not the one shown/],
]);

cases('SPF', [
  ['the record shown', ['v=spf1 a:mx.posthorn.example ~all']],
  ['another result for other hosts', ['v=spf1 a:mx.posthorn.example -all']],
  ['other senders besides ours', ['v=spf1 include:_spf.other.example +a:MX.posthorn.example ?all']],
  ['no "all"', ['V=SPF1 a:mx.posthorn.example']],
  ['other TXT records besides ours', ['site-verification=1', 'v=spf1 a:mx.posthorn.example ~all']],
  ['no SPF record', ['site-verification=1'], /begins with v=spf1/],
  ['another version', ['v=spf10 a:mx.posthorn.example ~all'], /begins with v=spf1/],
  ['two SPF records', ['v=spf1 -all', 'v=spf1 a:mx.posthorn.example ~all'], /merge them/],
  ['only other senders', ['v=spf1 include:_spf.other.example ~all'], /does not have a:mx\.posthorn\.example/],
  ['the host excluded', ['v=spf1 -a:mx.posthorn.example ~all'], /does not have/],
  ['the host after "all"', ['v=spf1 ~all a:mx.posthorn.example'], /in front of "all"/],
  ['all hosts allowed', ['v=spf1 a:mx.posthorn.example +all'], /lets anyone send/],
  ['all hosts allowed, without a qualifier', ['v=spf1 a:mx.posthorn.example all'], /lets anyone send/],
  ['quotes in the value', ['"v=spf1 a:mx.posthorn.example ~all"'], /quotation marks/],
  ['typographic quotes', ['\u201cv=spf1 a:mx.posthorn.example ~all\u201d'], /quotation marks/],
  ['a redirect', ['v=spf1 redirect=_spf.other.example'], /does not have/],
  ['a longer name', ['v=spf1 a:mx.posthorn.example.org ~all'], /does not have/],
]);

cases('DMARC', [
  ['the record shown', ['v=DMARC1; p=none;']],
  ['a stricter policy', ['v=DMARC1;p=Reject; rua=mailto:d@acme.example']],
  ['no policy', ['v=DMARC1; rua=mailto:d@acme.example'], /no p=/],
  ['a policy that does not exist', ['v=DMARC1; p=maybe'], /no p=/],
  ['two records', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], /leave only one/],
  ['other text', ['hello'], /begins with v=DMARC1/],
]);

describe('MAIL_FROM', () => {
  const table: [name: string, exchanges: string[], error?: RegExp][] = [
    ['the host shown', ['mx.posthorn.example']],
    ['the host twice', ['mx.posthorn.example', 'mx.posthorn.example']],
    ['another host', ['mx.other.example'], /do not name mx\.posthorn\.example/],
    ['another host besides it', ['mx.posthorn.example', 'mx.other.example'], /other hosts besides/],
    ['the zone appended to the value', ['mx.posthorn.example.acme.example'], /End the value with a dot/],
    ['no mail', [''], /do not name/],
    ['no host name', [], /name no host/],
  ];
  for (const [name, exchanges, error] of table) {
    test(`${error === undefined ? 'is verified' : 'fails'} with ${name}`, () => {
      const records = exchanges.map((exchange) => ({ priority: 5, exchange }));
      const check = judgeMx(expected('MAIL_FROM'), { outcome: 'found', records });
      assert.equal(check.status, error === undefined ? 'verified' : 'failed');
      assert.deepEqual(
        check.found,
        exchanges.map((exchange) => `5 ${exchange || '.'}`),
      );
      if (error !== undefined) assert.match(check.error ?? '', error);
    });
  }
});

describe('a record', () => {
  test('fails if no record exists at its name', () => {
    assert.deepEqual(judgeTxt(expected('SPF'), { outcome: 'none', nameExists: false }), {
      status: 'failed',
      found: [],
      error: 'There is no TXT record at send.acme.example.',
    });
  });

  test('fails temporarily if DNS fails', () => {
    const check = judgeMx(expected('MX'), { outcome: 'failed', reason: 'SERVFAIL' });
    assert.equal(check.status, 'temporary_failure');
    assert.match(check.error ?? '', /acme\.example failed \(SERVFAIL\)/);
  });
});

test('any MX records get a verdict, and the stored result is bounded', () => {
  const mx = fc.record({ priority: fc.nat(0xffff), exchange: fc.oneof(fc.domain(), fc.constant('')) });
  fc.assert(
    fc.property(fc.array(mx, { maxLength: 100 }), (records) => {
      const { status, found, error } = judgeMx(expected('MAIL_FROM'), { outcome: 'found', records });
      assert.equal(status, 'failed');
      assert.ok(error !== null && error.length < 600);
      assert.ok(found.length <= 10 && found.every((text) => text.length <= 1_000));
    }),
  );
});

test('a correct record stays verified among any other records', () => {
  const other = anyText().filter((text) => !/^["\\\u201c\u201d]*v=spf1/i.test(text));
  fc.assert(
    fc.property(fc.array(other), (others) => {
      assert.equal(txt('SPF', [...others, expected('SPF').value]).status, 'verified');
    }),
  );
});

test('any records get a verdict, and the stored result is bounded', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('DKIM' as const, 'SPF' as const, 'DMARC' as const),
      fc.array(fc.oneof(anyText(), fc.constant('v=spf1 '), fc.constant('='.repeat(5_000))), {
        minLength: 1,
        maxLength: 30,
      }),
      (kind, records) => {
        const { status, found, error } = txt(kind, records);
        assert.equal(status, 'failed');
        assert.ok(error !== null && error.length < 300);
        assert.ok(found.length <= 10 && found.every((text) => text.length <= 1_000));
      },
    ),
  );
});
