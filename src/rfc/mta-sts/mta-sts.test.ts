import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import * as mailauth from 'mailauth/lib/mta-sts.js';
import { runs } from '../../../test/support/property-runs.ts';
import { anyText } from '../../../test/support/any-text.ts';
import { mxMatches, parsePolicy, parseStsRecord } from './mta-sts.ts';

const RECORDS: readonly [records: readonly string[], id: string | null][] = [
  [['v=STSv1; id=20160831085700Z;'], '20160831085700Z'],
  [['v=STSv1;id=a'], 'a'],
  [['v=STSv1 \t; \tid=a ; x-y.z=1,2 '], null],
  [['v=STSv1 \t; \tid=a ; x-y.z=1,2'], 'a'],
  [['v=STSv1; id=a; '], 'a'],
  [['v=STSv1; x=y; id=a'], 'a'],
  [['v=STSv1; id=a; id=b'], 'a'],
  [['v=STSv1; id=a; id='], null],
  [[`v=STSv1; id=${'a'.repeat(32)}`], 'a'.repeat(32)],
  [[`v=STSv1; id=${'a'.repeat(33)}`], null],
  [['v=STSv1; id=2016-08-31'], null],
  [['v=STSv1; id='], null],
  [['v=STSv1; ID=a'], null],
  [['v=STSv1;'], null],
  [['v=STSv1'], null],
  [['v=STSv1; id=a;; x=y'], null],
  [['v=STSv1; id=a; x'], null],
  [['v=STSv1; id=a; x=a b'], null],
  [['v=stsv1; id=a'], null],
  [[' v=STSv1; id=a'], null],
  [['v=STSv10; id=a'], null],
  [['id=a; v=STSv1'], null],
  [[], null],
  [['v=spf1 -all', 'v=STSv1; id=a', ''], 'a'],
  [['v=STSv1; id=a', 'v=STSv1; id=a'], null],
  [['v=STSv1; id=a', 'v=STSv1; broken'], null],
];

test('parseStsRecord returns the policy id of a single record that follows the grammar', () => {
  for (const [records, id] of RECORDS) {
    assert.deepEqual(parseStsRecord(records), id === null ? null : { id }, records.join(' | '));
  }
});

test('parseStsRecord rejects a record that is too long', () => {
  assert.equal(parseStsRecord([`v=STSv1; id=a; ${'x=y;'.repeat(10_000)}`]), null);
  assert.equal(parseStsRecord([`v=STSv1; ${' '.repeat(100_000)}id=a`]), null);
});

/** Fragments of records in any order, mixed with other text. */
const recordText = fc
  .array(
    fc.oneof(
      fc.constantFrom('v=STSv1', ';', '; ', ' ', '\t', 'id=', 'id=a1', 'id=b', '=', 'x=y', 'x_.-=!', 'é'),
      fc.string({ maxLength: 3 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

test('parseStsRecord returns the same id as another strict parser for random records', async () => {
  const records = fc.array(
    fc.oneof(
      recordText,
      recordText.map((text) => `v=STSv1;${text}`),
    ),
    { maxLength: 2 },
  );
  await fc.assert(
    fc.asyncProperty(records, async (texts) => {
      const resolver = async () => texts.map((text) => [text]);
      const expected = await mailauth
        .resolvePolicy('dst.test', { strict: true, resolver })
        // The other parser, mailauth, also rejects several records.
        .catch(() => false);
      assert.equal(parseStsRecord(texts)?.id ?? false, expected);
    }),
    { numRuns: runs(500) },
  );
});

const EXAMPLE = `version: STSv1
mode: enforce
mx: mail.example.com
mx: *.example.net
mx: backupmx.example.com
max_age: 604800
`;

test('parsePolicy reads the example of RFC 8461 with CRLF and with LF', () => {
  const policy = {
    mode: 'enforce',
    mx: ['mail.example.com', '*.example.net', 'backupmx.example.com'],
    maxAgeSeconds: 604_800,
  };
  assert.deepEqual(parsePolicy(EXAMPLE), policy);
  assert.deepEqual(parsePolicy(EXAMPLE.replaceAll('\n', '\r\n')), policy);
  assert.deepEqual(parsePolicy(EXAMPLE.trimEnd()), policy);
});

function policyWith(changes: Record<string, string | undefined>): string {
  const fields = { version: 'STSv1', mode: 'enforce', mx: 'mx.dst.test', max_age: '86400', ...changes };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
}

const POLICIES: readonly [what: string, changes: Record<string, string | undefined>, isPolicy: boolean][] = [
  ['nothing special', {}, true],
  ['an unknown version', { version: 'STSv2' }, false],
  ['a version in lower case', { version: 'stsv1' }, false],
  ['no version', { version: undefined }, false],
  ['mode testing', { mode: 'testing' }, true],
  ['an unknown mode', { mode: 'report' }, false],
  ['no mode', { mode: undefined }, false],
  ['no mx', { mx: undefined }, false],
  ['no mx in mode none', { mode: 'none', mx: undefined }, true],
  ['an empty mx', { mx: '' }, false],
  ['an mx that is an address', { mx: '192.0.2.1' }, false],
  ['a star inside a label', { mx: 'mx*.dst.test' }, false],
  ['a lone star', { mx: '*' }, false],
  ['two stars', { mx: '*.*.dst.test' }, false],
  ['a leading dot', { mx: '.dst.test' }, false],
  ['a trailing dot', { mx: 'mx.dst.test.' }, false],
  ['whitespace around a value', { mode: ' \t enforce \t ' }, true],
  ['no max_age', { max_age: undefined }, false],
  ['a max_age of 0', { max_age: '0' }, true],
  ['a max_age of eleven digits', { max_age: '00000086400' }, false],
  ['a negative max_age', { max_age: '-1' }, false],
  ['a max_age with a fraction', { max_age: '1.5' }, false],
  ['an unknown field', { extension: 'a: b: c' }, true],
  ['a field name in upper case', { MODE: 'none' }, true],
];

test('parsePolicy accepts only fields and values that follow the grammar', () => {
  for (const [what, changes, isPolicy] of POLICIES) {
    assert.equal(parsePolicy(policyWith(changes)) !== null, isPolicy, what);
  }
});

test('parsePolicy uses the first of two fields with the same name, and ignores lines that are not fields', () => {
  const text = `# policy\n\n${policyWith({})}mode: none\r\nversion: STSv2\r\nmax_age: 1\r\n`;
  assert.deepEqual(parsePolicy(text), { mode: 'enforce', mx: ['mx.dst.test'], maxAgeSeconds: 86_400 });
});

test('parsePolicy normalizes hosts and removes duplicates', () => {
  const text = `${policyWith({ mx: 'MX.Dst.Test' })}mx: mx.dst.test\nmx: *.MÜNCHEN.test\n`;
  assert.deepEqual(parsePolicy(text)?.mx, ['mx.dst.test', '*.xn--mnchen-3ya.test']);
});

test('parsePolicy reduces max_age to about a year', () => {
  assert.equal(parsePolicy(policyWith({ max_age: '31557600' }))?.maxAgeSeconds, 31_557_600);
  assert.equal(parsePolicy(policyWith({ max_age: '9999999999' }))?.maxAgeSeconds, 31_557_600);
});

test('parsePolicy rejects more than 100 hosts or 64 KB', () => {
  const hosts = (count: number) => Array.from({ length: count }, (_, n) => `mx: mx${n}.dst.test\n`).join('');
  assert.equal(parsePolicy(policyWith({ mx: undefined }) + hosts(100))?.mx.length, 100);
  assert.equal(parsePolicy(policyWith({ mx: undefined }) + hosts(101)), null);
  const filler = (octets: number) => 'x'.repeat(octets);
  const { length } = policyWith({});
  assert.notEqual(parsePolicy(policyWith({}) + filler(65_536 - length)), null);
  assert.equal(parsePolicy(policyWith({}) + filler(65_537 - length)), null);
});

const fieldLine = fc.oneof(
  fc.constantFrom('version: STSv1', 'mode: enforce', 'mode: testing', 'mode:none', 'max_age: 86400', ''),
  fc.constantFrom('max_age: 31557600', 'mx: mx.dst.test', 'mx: *.dst.test', 'mx: MX.dst.test', 'mx:\ta.b'),
  fc.constantFrom('mode: bad', 'max_age: soon', 'mx: -', 'mx: *', 'version: 1', 'x: y', 'mx', 'mode : none'),
  fc.string({ maxLength: 10 }),
);

test('parsePolicy returns the same policies as another strict parser', () => {
  fc.assert(
    fc.property(fc.array(fieldLine, { maxLength: 10 }), fc.constantFrom('\n', '\r\n'), (lines, end) => {
      const text = `version: STSv1${end}mode: enforce${end}${lines.join(end)}`;
      const policy = parsePolicy(text);
      if (policy === null) {
        assert.throws(() => mailauth.parsePolicy(text, { strict: true }));
        return;
      }
      const { mode, mx = [], maxAge } = mailauth.parsePolicy(text, { strict: true });
      assert.deepEqual(policy, { mode, mx, maxAgeSeconds: maxAge });
    }),
    { numRuns: runs(1_000) },
  );
});

test('parsePolicy never throws, and returns only values within the limits', () => {
  const text = fc.oneof(
    anyText(),
    fc.array(fieldLine).map((lines) => lines.join('\n')),
  );
  fc.assert(
    fc.property(text, (any) => {
      const policy = parsePolicy(any);
      if (policy === null) return;
      assert.ok(policy.mx.length <= 100 && (policy.mode === 'none' || policy.mx.length > 0));
      assert.ok(policy.maxAgeSeconds >= 0 && policy.maxAgeSeconds <= 31_557_600);
    }),
  );
});

const MATCHES: readonly [pattern: string, host: string, matches: boolean][] = [
  ['mail.example.com', 'mail.example.com', true],
  ['mail.example.com', 'MAIL.Example.COM', true],
  ['mail.example.com', 'a.mail.example.com', false],
  ['*.example.com', 'mail.example.com', true],
  ['*.example.com', 'Mail.Example.Com', true],
  ['*.example.com', 'example.com', false],
  ['*.example.com', 'a.b.example.com', false],
  ['*.example.com', '.example.com', false],
  ['*.example.com', '*.example.com', false],
  ['*.example.com', 'mail.notexample.com', false],
  ['*.example.com', 'mail.example.com.evil.test', false],
  ['*.xn--mnchen-3ya.test', 'mx.XN--MNCHEN-3YA.test', true],
  ['*.test', 'mx.test', true],
  ['mx', 'mx', true],
  ['mail.example.com', '', false],
];

test('mxMatches compares host names, and a wildcard matches exactly the first label', () => {
  for (const [pattern, host, matches] of MATCHES) {
    assert.equal(mxMatches({ mx: ['other.test', pattern] }, host), matches, `${pattern} ${host}`);
  }
});

test('mxMatches returns the same as another implementation', () => {
  const label = fc.constantFrom('a', 'B', 'mx', 'example', '*', '');
  const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 3 }), name, (patterns, host) => {
      const lines = patterns.map((pattern) => `mx: ${pattern}\n`).join('');
      const policy = parsePolicy(policyWith({ mx: undefined }) + lines);
      // Names from a resolver have no dot at the start or the end.
      if (policy === null || host.startsWith('.') || host.endsWith('.')) return;
      const other = mailauth.validateMx(host, { mode: 'enforce', mx: [...policy.mx] } as never);
      assert.equal(mxMatches(policy, host), other.valid);
    }),
    { numRuns: runs(1_000) },
  );
});
