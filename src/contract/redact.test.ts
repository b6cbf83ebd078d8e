import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { Type } from 'typebox';
import { SendEmail } from './emails.ts';
import { CreateMailbox } from './mailboxes.ts';
import { errorsWithoutContent, MAX_STORED_BODY, redact, shorten, withoutCutNames } from './redact.ts';
import { PrivateContent, Secret } from './schema.ts';

const EMAIL = {
  from: 'a@acme.example',
  to: 'ada@example.com',
  subject: 'Hello',
  variables: { name: 'Ada', items: [{ id: 1 }] },
  headers: { 'X-Order': '4711' },
  tags: ['order', { name: 'x' }],
  subjekt: 'Hello',
};

suite('redact', () => {
  test('keeps values of known fields, even of the wrong type, and replaces values of unknown fields', () => {
    assert.deepEqual(redact(EMAIL, SendEmail, { keepsContent: true }), {
      ...EMAIL,
      tags: ['order', '<object>'],
      subjekt: '<unknown field>',
    });
  });

  test('replaces content unless it is kept', () => {
    assert.deepEqual(redact(EMAIL, SendEmail, { keepsContent: false }), {
      from: 'a@acme.example',
      to: 'ada@example.com',
      subject: '<content>',
      variables: '<content>',
      headers: '<content>',
      tags: ['order', '<object>'],
      subjekt: '<unknown field>',
    });
  });

  for (const [what, value, stored] of [
    ['a secret', { password: 'hunter2hunter2' }, { password: '<secret>' }],
    ['a secret of the wrong type', { password: ['hunter2hunter2'] }, { password: '<secret>' }],
    ['a secret under another name', { pasword: 'hunter2hunter2' }, { pasword: '<unknown field>' }],
    ['a text instead of an object that may have a secret', 'password=hunter2hunter2', '<value>'],
    ['a number instead of an object', 12_345_678, '<value>'],
    ['a list instead of an object', [{ password: 'hunter2hunter2' }], '<list>'],
    [
      'an object inside of a text',
      { local_part: { password: 'hunter2hunter2' } },
      { local_part: '<object>' },
    ],
    [
      'a name of the prototype',
      JSON.parse('{"__proto__": "hunter2hunter2"}'),
      JSON.parse('{"__proto__": "<unknown field>"}'),
    ],
    ['nothing', undefined, null],
  ] as const)
    test(`never keeps ${what}`, () => {
      assert.deepEqual(redact(value, CreateMailbox, { keepsContent: true }), stored);
    });

  test('shortens long texts, long lists and deep values', () => {
    const long = {
      to: Array.from({ length: 5_000 }, (_, at) => `user${at}@example.com`),
      text: 'word '.repeat(100_000),
    };
    const stored = JSON.stringify(redact(long, SendEmail, { keepsContent: true }));
    assert.ok(stored.length < 2 * MAX_STORED_BODY, `${stored.length}`);
    const deep = JSON.parse(`{"variables": ${'{"a":'.repeat(60)}1${'}'.repeat(60)}}`);
    assert.match(JSON.stringify(redact(deep, SendEmail, { keepsContent: true })), /"<cut>"/);
  });

  test('is bounded, and loses no more when it is repeated', () => {
    const schema = Type.Object({
      open: Type.Array(Type.Object({ name: Type.String(), secret: Secret(Type.String()) })),
      content: PrivateContent(Type.Unsafe<object>({ type: 'object' })),
    });
    const value = fc.record({
      open: fc.oneof(fc.jsonValue(), fc.array(fc.record({ name: fc.string(), secret: fc.string() }))),
      content: fc.jsonValue(),
      other: fc.jsonValue(),
    });
    fc.assert(
      fc.property(value, (body) => {
        const once = redact(body, schema, { keepsContent: true });
        assert.deepEqual(redact(once, schema, { keepsContent: true }), once);
        const bare = redact(body, schema, { keepsContent: false });
        assert.deepEqual(redact(once, schema, { keepsContent: false }), bare);
      }),
      { numRuns: runs(2_000) },
    );
  });
});

test('texts are stored where the schema has a list of texts, but not where it has a list of objects', () => {
  const schema = Type.Object({
    to: Type.Array(Type.String()),
    codes: Type.Array(Secret(Type.String())),
    notes: Type.Array(PrivateContent(Type.String())),
    emails: Type.Array(SendEmail),
    either: Type.Union([Type.String(), SendEmail]),
  });
  const value = { to: 'ada', codes: 'ada', notes: 'ada', emails: 'ada', either: 'ada' };
  assert.deepEqual(redact(value, schema, { keepsContent: false }), {
    to: 'ada',
    codes: '<secret>',
    notes: '<content>',
    emails: '<value>',
    either: '<value>',
  });
});

test('long names are cut at white space', () => {
  const name = `Dear ada@example.com, ${'x'.repeat(90)}@example.com`;
  assert.deepEqual(redact({ [name]: 1 }, SendEmail, { keepsContent: true }), {
    'Dear ada@example.com,…': '<unknown field>',
  });
});

for (const [message, bare] of [
  ['headers["X-Ada"]: must be a string', 'headers["<content>"]: must be a string'],
  [String.raw`emails[3].headers["a\"]b\\"]: twice`, 'emails[3].headers["<content>"]: twice'],
  ['must be an array, such as "to": ["ada@example.com"]', undefined],
  ['tags[3]: must be "a string"', undefined],
] as const)
  test(`errors lose the names that they quote, and nothing else: ${message}`, () => {
    assert.deepEqual(errorsWithoutContent({ headers: message }), { headers: bare ?? message });
  });

test('a name that was cut is removed from an error', () => {
  assert.equal(
    withoutCutNames('headers["X-A"]: bad; headers["ada@exam…"]: bad'),
    'headers["X-A"]: bad; headers["…"]: bad',
  );
});

test('many unknown fields with short names stay as small as other bodies', () => {
  const body = Object.fromEntries(
    Array.from({ length: 8_000 }, (_, at) => [String.fromCodePoint(0x4e00 + at), 0]),
  );
  const stored = JSON.stringify(redact(body, Type.Object({ to: Type.String() }), { keepsContent: true }));
  assert.ok(stored.length < 2 * MAX_STORED_BODY, `${stored.length}`);
});

for (const [message, stored] of [
  ['headers[491701234567]: must be a string', 'headers["<content>"]: must be a string'],
  ['emails[3].headers["X-A"]: bad', 'emails[3].headers["<content>"]: bad'],
  ['unknown field; headers["two words', 'unknown field; headers["<content>"]'],
] as const)
  test(`an error about content does not quote it: ${message}`, () => {
    assert.deepEqual(errorsWithoutContent({ body: message }), { body: stored });
  });

test('a name that was cut inside a word is left out of an error', () => {
  assert.equal(withoutCutNames('emails[0].ada@exam…: unknown field'), '…: unknown field');
  assert.equal(withoutCutNames('headers["X-A"]: bad; headers["ada@ex'), 'headers["X-A"]: bad; headers["…"]');
});

for (const [text, most, cut] of [
  ['short', 5, 'short'],
  ['to ada@example.com', 12, 'to…'],
  ['ada@example.com', 12, '…'],
  ['x y', 0, '…'],
] as const)
  test(`a text cut to ${most} characters has no part of a word: ${text}`, () => {
    assert.equal(shorten(text, most), cut);
  });
