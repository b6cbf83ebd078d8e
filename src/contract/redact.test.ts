import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { Type } from 'typebox';
import { SendEmail } from './emails.ts';
import { CONTENT_KEYWORD } from './keywords.ts';
import { CreateMailbox } from './mailboxes.ts';
import { MAX_STORED_BODY, markedTexts, redact, shorten } from './redact.ts';
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
    ['a text instead of an object that may have a secret', 'password=hunter2hunter2', '<secret>'],
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

test('markedTexts finds the texts of marked fields at any depth', () => {
  const texts = markedTexts(
    { emails: [EMAIL] },
    Type.Object({ emails: Type.Array(SendEmail) }),
    CONTENT_KEYWORD,
  );
  assert.deepEqual(texts, ['Hello', 'Ada', '1', '4711']);
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
