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
type Case = [name: string, records: string[], error?: RegExp, wrongTerm?: string];

function cases(kind: 'DKIM' | 'SPF' | 'DMARC', table: Case[]): void {
  describe(kind, () => {
    for (const [name, records, error, wrongTerm] of table) {
      test(`${error === undefined ? 'is verified' : 'fails'} with ${name}`, () => {
        const check = txt(kind, records);
        assert.equal(check.status, error === undefined ? 'verified' : 'failed');
        assert.deepEqual(
          check.found,
          records.map((text) => text.slice(0, 1_000)),
        );
        if (wrongTerm !== undefined) assert.equal(check.wrongTerm, wrongTerm);
        if (error === undefined) assert.equal(check.error, null);
        else assert.match(check.error ?? '', error);
      });
    }
  });
}

cases('DKIM', [
  ['the record shown', [expected('DKIM').value]],
  ['only the key', [`p=${PUBLIC_KEY}`]],
  ['folded key data', [`v=DKIM1; p=${PUBLIC_KEY.slice(0, 50)} \t${PUBLIC_KEY.slice(50)}; k=rsa`]],
  [
    'further tags',
    [`v=DKIM1; t=s; k=rsa; n=hello; x-new=1; p=${PUBLIC_KEY};`],
    /"x-new=1" is not a tag/,
    'x-new=1',
  ],
  ['unknown tags', [`v=DKIM1; t=s; k=rsa; n=hello; new_tag=1; p=${PUBLIC_KEY};`]],
  ['several hash algorithms', [`v=DKIM1; h=sha1 : SHA256; p=${PUBLIC_KEY}`]],
  ['a list of services with email', [`v=DKIM1; s=tlsrpt:email; p=${PUBLIC_KEY}`]],
  ['any service', [`v=DKIM1; s=*; p=${PUBLIC_KEY}`]],
  [
    'an old hash algorithm only',
    [`v=DKIM1; h=sha1; p=${PUBLIC_KEY}`],
    /"h=sha1" does not allow sha256/,
    'h=sha1',
  ],
  [
    'another service only',
    [`v=DKIM1; s=tlsrpt; p=${PUBLIC_KEY}`],
    /"s=tlsrpt" does not allow email/,
    's=tlsrpt',
  ],
  ['a tag twice', [`v=DKIM1; k=rsa; k=rsa; p=${PUBLIC_KEY}`], /a second "k" tag/, 'k=rsa'],
  ['the key twice', [`v=DKIM1; p=old; p=${PUBLIC_KEY}`], /a second "p" tag/, `p=${PUBLIC_KEY}`.slice(0, 100)],
  ['the version at the end', [`p=${PUBLIC_KEY}; k=rsa;v=DKIM1`], /"v=DKIM1" is not its first tag/, 'v=DKIM1'],
  ['another version', [`v=DKIM2; p=${PUBLIC_KEY}`], /its version is "v=DKIM2"/, 'v=DKIM2'],
  ['a version in lower case', [`v=dkim1; p=${PUBLIC_KEY}`], /its version is "v=dkim1"/, 'v=dkim1'],
  ['two semicolons', [`v=DKIM1;; p=${PUBLIC_KEY}`], /an empty part/, ';;'],
  ['text that is not a tag', [`v=DKIM1; rsa; p=${PUBLIC_KEY}`], /"rsa" is not a tag/, 'rsa'],
  ['another key', ['v=DKIM1; k=rsa; p=MIIBother'], /not the one shown/, 'p=MIIBother'],
  ['characters that are not base64', ['v=DKIM1; p=MIIB-_!'], /not base64/, 'p=MIIB-_!'],
  ['a revoked key', ['v=DKIM1; k=rsa; p='], /is revoked/, 'p='],
  ['a truncated key', [`v=DKIM1; k=rsa; p=${PUBLIC_KEY.slice(0, 200)}`], /cut off/],
  ['another algorithm', [`v=DKIM1; k=ed25519; p=${PUBLIC_KEY}`], /"k=ed25519" is not the type/, 'k=ed25519'],
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
  ['quotes around another key', ['"v=DKIM1; k=rsa; p=MIIBother"'], /is not a tag/],
]);

test('a DKIM key in test mode is verified with a warning', () => {
  const { status, advice } = txt('DKIM', [`v=DKIM1; t=y:s; p=${PUBLIC_KEY}`]);
  assert.equal(status, 'verified');
  assert.match(advice?.join() ?? '', /"t=y"/);
});

cases('SPF', [
  ['no SPF record', ['site-verification=1'], /begins with v=spf1/],
  ['another version', ['v=spf10 a:mx.posthorn.example ~all'], /begins with v=spf1/],
  ['two SPF records', ['v=spf1 -all', 'v=spf1 a:mx.posthorn.example ~all'], /merge them/],
  ['quotes in the value', ['"v=spf1 a:mx.posthorn.example ~all"'], /quotation marks/],
  ['typographic quotes', ['\u201cv=spf1 a:mx.posthorn.example ~all\u201d'], /quotation marks/],
  [
    'a record of 5,000 characters',
    [`v=spf1 ${'ip4:192.0.2.1 '.repeat(400)}~all`.slice(0, 5_000)],
    /longer than 4096/,
  ],
]);

cases('DMARC', [
  ['the record shown', ['v=DMARC1; p=none;']],
  ['a stricter policy', ['v=DMARC1;p=Reject; rua=mailto:d@acme.example']],
  ['blanks', ['v = DMARC1 ; p = none ; sp = reject']],
  ['other TXT records besides it', ['hello', 'v=DMARC1; p=none']],
  ['no policy', ['v=DMARC1; rua=mailto:d@acme.example'], /no p=/],
  ['a policy that does not exist', ['v=DMARC1; p=maybe'], /but "p=maybe"/, 'p=maybe'],
  ['a policy for subdomains that does not exist', ['v=DMARC1; p=none; sp=maybe'], /"sp=maybe"/, 'sp=maybe'],
  [
    'such a policy and an address for reports',
    ['v=DMARC1; p=reject; sp=maybe; rua=mailto:d@acme.example'],
    /as p=none, because "sp=maybe"/,
    'sp=maybe',
  ],
  ['two policies', ['v=DMARC1; p=none; p=reject'], /a second "p" tag/, 'p=reject'],
  ['two records', ['v=DMARC1; p=none', 'v=DMARC1; p=reject'], /leave only one/],
  ['the version in lower case', ['v=dmarc1; p=none'], /begins with "v=dmarc1"/, 'v=dmarc1'],
  ['the version at the end', ['p=none; v=DMARC1'], /begins with "p=none"/, 'p=none'],
  ['another version', ['v=DMARC2; p=none'], /begins with "v=DMARC2"/, 'v=DMARC2'],
  ['other text', ['hello'], /begins with v=DMARC1/],
]);

describe('a DMARC record is verified with advice about', () => {
  const table: [record: string, advice: RegExp][] = [
    ['v=DMARC1; p=none; adkim=strict', /"adkim=strict"/],
    ['v=DMARC1; p=none; pct=101', /"pct=101"/],
    ['v=DMARC1; p=none; rua=d@acme.example', /"rua=d@acme\.example"/],
    ['v=DMARC1; p=none; policy=reject', /"policy=reject"/],
    ['v=DMARC1; p=none; constructor=1', /"constructor=1"/],
    ['v=DMARC1; p=none; reject', /"reject", which is not a tag/],
    ['v=DMARC1; p=none;; sp=none', /two semicolons/],
    ['v=DMARC1; sp=none; p=none', /directly behind/],
  ];
  for (const [record, advice] of table) {
    test(record, () => {
      const check = txt('DMARC', [record]);
      assert.equal(check.status, 'verified');
      assert.equal(check.advice?.length, 1);
      assert.match(check.advice?.join() ?? '', advice);
    });
  }
});

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
  const tag = fc.tuple(
    fc.constantFrom('p', 'h', 'sp', 'constructor', 'toString', '__proto__', 'hasOwnProperty', 'valueOf'),
    anyText(),
  );
  const tags = fc
    .tuple(fc.constantFrom('v=DMARC1; p=none', `v=DKIM1; p=${PUBLIC_KEY}`), fc.array(tag))
    .map(([first, more]) => [first, ...more.map(([name, value]) => `${name}=${value}`)].join('; '));
  fc.assert(
    fc.property(
      fc.constantFrom('DKIM' as const, 'SPF' as const, 'DMARC' as const),
      fc.array(fc.oneof(anyText(), tags, fc.constant('v=spf1 '), fc.constant('='.repeat(5_000))), {
        minLength: 1,
        maxLength: 30,
      }),
      (kind, records) => {
        const { found, error } = txt(kind, records);
        assert.ok(error === null || error.length < 400);
        assert.ok(found.length <= 10 && found.every((text) => text.length <= 1_000));
      },
    ),
  );
});
