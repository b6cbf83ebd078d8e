import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/property-runs.ts';
import { StartupError } from '../../../model/startup-error.ts';
import { parseShapingFile } from './shaping-file.ts';

test('a shaping file has a default and rules, each with its own limits', () => {
  const text = `
default: { max_connections: 5 }
rules:
  - name: partner
    domains: [Partner.test, "münchen.test"]
    mx: [mx.partner.test]
    max_connections: 1
    max_messages_per_connection: 10
    max_messages_per_second: 0.5
  - name: other
    mx: [other.test]
    max_messages_per_second: null
`;
  assert.deepEqual(parseShapingFile(text, 'x.yaml'), {
    default: { maxConnections: 5 },
    rules: [
      {
        name: 'partner',
        mx: ['mx.partner.test'],
        domains: ['partner.test', 'xn--mnchen-3ya.test'],
        limits: { maxConnections: 1, maxMessagesPerConnection: 10, maxMessagesPerSecond: 0.5 },
      },
      { name: 'other', mx: ['other.test'], domains: [], limits: { maxMessagesPerSecond: null } },
    ],
  });
});

test('a shaping file without any settings is valid', () => {
  for (const text of ['', '# nothing\n', '---\n', '{}', 'default: {}\nrules: []\n']) {
    assert.deepEqual(parseShapingFile(text, 'x.yaml'), { default: {}, rules: [] }, text);
  }
});

test('the example in the operator documentation is valid', () => {
  const page = readFileSync(new URL('../../../../docs/operate/shaping.md', import.meta.url), 'utf8');
  const [, example = ''] = /^```yaml\n(.*?)^```/ms.exec(page) ?? [];
  const { default: limits, rules } = parseShapingFile(example, 'x.yaml');
  assert.deepEqual(limits, { maxConnections: 10 });
  assert.deepEqual(
    rules.map(({ name }) => name),
    ['big-provider', 'partner', 'yahoo'],
  );
});

const RULE = 'rules:\n  - name: a\n    mx: [a.test]\n';

const BROKEN: readonly [text: string, message: string | RegExp][] = [
  ['a: b: c', /^x\.yaml:1: /],
  ['default:\n  max_connections: 1\n   x: 2\n', /^x\.yaml:[23]: /],
  ['default: {}\ndefault: {}\n', /^x\.yaml:2: .*unique/i],
  ['- a', 'x.yaml:1: the file: must be object'],
  ['limits: {}', 'x.yaml:1: limits: is not a known field'],
  ['\n\nmax_connections: 5', 'x.yaml:3: max_connections: is not a known field'],
  ['default:\n  max_conections: 5', 'x.yaml:2: default.max_conections: is not a known field'],
  ['default:\n  max_connections: 0', 'x.yaml:2: default.max_connections: must be >= 1'],
  ['default:\n  max_connections: 501', 'x.yaml:2: default.max_connections: must be <= 500'],
  ['default:\n  max_connections: 1.5', 'x.yaml:2: default.max_connections: must be integer'],
  ['default:\n  max_connections: "5"', 'x.yaml:2: default.max_connections: must be integer'],
  ['default:\n  max_connections:\n', 'x.yaml:2: default.max_connections: must be integer'],
  ['default:\n  max_connections: .inf', 'x.yaml:2: default.max_connections: must be integer'],
  ['default:\n  max_messages_per_second: 0', 'x.yaml:2: default.max_messages_per_second: must be > 0'],
  ['default:\n  max_messages_per_second: .nan', /^x\.yaml:2: default\.max_messages_per_second: /],
  ['default:\n  max_messages_per_second: no', /^x\.yaml:2: default\.max_messages_per_second: must be /],
  ['rules: {}', 'x.yaml:1: rules: must be array'],
  ['rules:\n  - mx: [a.test]\n', 'x.yaml:2: rules[0]: must have required properties name'],
  [
    'rules:\n  - name: a\n',
    'x.yaml:2: rules[0]: must have mx or domains; otherwise the rule matches nothing',
  ],
  [`${RULE}    name: b\n`, /^x\.yaml:4: .*unique/i],
  [`${RULE}    rate: 5\n`, 'x.yaml:4: rules[0].rate: is not a known field'],
  [`${RULE}    domains: b.test\n`, 'x.yaml:4: rules[0].domains: must be array'],
  [`${RULE}    domains: []\n`, /^x\.yaml:4: rules\[0\]\.domains: must not have fewer than 1 items/],
  [`${RULE}    domains: [b.test, 5]\n`, 'x.yaml:4: rules[0].domains[1]: must be string'],
  [
    `${RULE}    domains:\n      - b.test\n      - "*.b.test"\n`,
    /^x\.yaml:6: rules\[0\]\.domains\[1\]: the domain contains "\*"/,
  ],
  [`${RULE}  - name: a\n    mx: [b.test]\n`, 'x.yaml:4: rules[1].name: a appears twice'],
  [`${RULE}  - name: b\n    mx:\n      - A.test\n`, 'x.yaml:6: rules[1].mx[0]: a.test appears twice'],
  ['rules:\n  - name: "a b"\n    mx: [a.test]\n', /^x\.yaml:2: rules\[0\]\.name: must match pattern/],
  ['rules: &a []\ndefault: *a\n', /^x\.yaml:\d+: .*alias/i],
  ['a/b: 1', 'x.yaml:1: a/b: is not a known field'],
  ['? \n  - name: a\n\n  - name: a', /^x\.yaml:1: .*name: a.*: is not a known field$/],
];

test('the error for an invalid file names the line and the field', () => {
  for (const [text, message] of BROKEN) {
    assert.throws(
      () => parseShapingFile(text, 'x.yaml'),
      (error) => {
        assert.ok(error instanceof StartupError, text);
        if (typeof message === 'string') assert.equal(error.message, message);
        else assert.match(error.message, message);
        assert.ok(!error.message.includes('\n'));
        return true;
      },
    );
  }
});

test('any text parses to a table within the limits or gives a one-line error', () => {
  const piece = fc.oneof(
    fc.constantFrom('default:', 'rules:', '  - name: a', '    mx: [a.test]', '    domains: [b.test]', '- x'),
    fc.constantFrom(
      '  max_connections: 5',
      '    max_messages_per_second: 1',
      '{',
      '}',
      '&a',
      '*a',
      '!!int',
      '? ',
    ),
    fc.string({ maxLength: 8 }),
  );
  const text = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('\n'));
  fc.assert(
    fc.property(text, (any) => {
      try {
        const { default: limits, rules } = parseShapingFile(any, 'x.yaml');
        for (const { maxConnections } of [limits, ...rules.map((rule) => rule.limits)]) {
          assert.ok(maxConnections === undefined || (maxConnections >= 1 && maxConnections <= 500));
        }
        for (const { mx, domains } of rules) assert.ok(mx.length + domains.length > 0);
      } catch (error) {
        assert.ok(error instanceof StartupError, String(error));
        assert.match(error.message, /^x\.yaml:\d+: .+$/);
      }
    }),
    { numRuns: runs(1_000) },
  );
});
