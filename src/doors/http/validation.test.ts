import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type TSchema, Type } from 'typebox';
import { processorClock } from '../../../test/support/processor-time.ts';
import { SendEmail } from '../../contract/emails.ts';
import { COMPONENTS } from '../../contract/components.ts';
import { DASHBOARD_OPERATIONS } from './dashboard/operations.ts';
import { MAIL_OPERATIONS } from './mail/operations.ts';
import { OPERATIONS } from './v1/operations.ts';
import { compileCheck } from './validation.ts';

const check = compileCheck(SendEmail);
const valid = { from: 'a@x.test', to: ['b@y.test'], text: 'hello' };
const MIB = 1024 * 1024;

for (const [what, fields] of [
  [
    'all fields',
    {
      cc: [],
      bcc: ['c@y.test'],
      reply_to: 'r@x.test',
      subject: '',
      html: '',
      headers: { 'X-A': 'b' },
      tags: ['t'],
    },
  ],
  ['the longest subject, counted in characters', { subject: '😀'.repeat(998) }],
  ['2 MiB of html', { html: 'a'.repeat(2 * MIB) }],
  ['50 headers', { headers: Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`X-${n}`, ''])) }],
  ['20 tags of 256 characters', { tags: Array.from({ length: 20 }, () => 't'.repeat(256)) }],
] as const) {
  test(`an email with ${what} is valid`, () => assert.equal(check({ ...valid, ...fields }), null));
}

for (const [what, body, errors] of [
  [
    'nothing',
    {},
    {
      from: 'is required',
      to: 'is required',
      html: 'html or text is required',
      text: 'html or text is required',
    },
  ],
  ['null', null, { body: 'must be an object' }],
  ['an array', [valid], { body: 'must be an object' }],
  [
    'neither body',
    { from: 'a@x.test', to: ['b@y.test'] },
    {
      html: 'html or text is required',
      text: 'html or text is required',
    },
  ],
  [
    'a string for to',
    { ...valid, to: 'b@y.test' },
    { to: 'must be an array, such as "to": ["ada@example.com"]' },
  ],
  ['no recipients', { ...valid, to: [] }, { to: 'must not be empty' }],
  ['a number among recipients', { ...valid, to: ['b@y.test', 5] }, { to: 'to[1]: must be a string' }],
  ['an empty recipient', { ...valid, cc: [''] }, { cc: 'cc[0]: must not be empty' }],
  ['null for an optional field', { ...valid, subject: null }, { subject: 'must be a string' }],
  ['a number for a string', { ...valid, subject: 5 }, { subject: 'must be a string' }],
  [
    'a subject that is too long',
    { ...valid, subject: 'a'.repeat(999) },
    { subject: 'must have at most 998 characters' },
  ],
  [
    'more than 2 MiB in UTF-8',
    { ...valid, text: `é${'a'.repeat(2 * MIB - 1)}` },
    { text: 'must have at most 2097152 bytes' },
  ],
  [
    'a header that is a list',
    { ...valid, headers: { 'X-A': ['b'] } },
    { headers: 'headers["X-A"]: must be a string' },
  ],
  [
    'a header name with a line break and no string',
    { ...valid, headers: { 'a\nb': 1 } },
    { headers: 'headers["a\\nb"]: must be a string' },
  ],
  ['headers as a list', { ...valid, headers: [] }, { headers: 'must be an object' }],
  [
    '51 headers',
    { ...valid, headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`X-${n}`, ''])) },
    {
      headers: 'must have at most 50 entries',
    },
  ],
  [
    'more addresses than are checked',
    { ...valid, cc: Array.from({ length: 1_001 }, () => 'b@y.test') },
    { cc: 'Further recipients, visible in the message: at most 50 in to, cc and bcc together.' },
  ],
  [
    '21 tags',
    { ...valid, tags: Array.from({ length: 21 }, () => 't') },
    { tags: 'must have at most 20 elements' },
  ],
  [
    'a tag that is too long',
    { ...valid, tags: ['t'.repeat(257)] },
    { tags: 'tags[0]: must have at most 256 characters' },
  ],
  [
    'attachments',
    { ...valid, attachments: [] },
    {
      attachments: 'Not supported here: attachments belong to mailbox compose. Omit this field.',
    },
  ],
] as const) {
  test(`a send with ${what} is rejected with a message for each field`, () =>
    assert.deepEqual({ ...check(body) }, errors));
}

for (const name of ['reply-to', '__proto__', 'constructor', 'toString', 'a/b~c']) {
  test(`the unknown field ${name} is reported`, () => {
    const errors = check({ ...valid, ...Object.fromEntries([[name, 'x']]) });
    assert.deepEqual(Object.keys(errors ?? {}), [name]);
    assert.match(
      Object.values(errors ?? {})[0] ?? '',
      /^unknown field; the known fields are from, to, (?!.*attachments)/,
    );
  });
}

test('a long unknown name is truncated in the response', () => {
  const [name = ''] = Object.keys(check({ ...valid, ['x'.repeat(1_000_000)]: 1 }) ?? {});
  assert.equal(name.length, 101);
});

for (const [what, body] of [
  ['a million wrong recipients', { ...valid, to: Array.from({ length: 1_000_000 }, () => 5) }],
  [
    'three hundred thousand unknown fields',
    Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`f${n}`, n])),
  ],
  [
    'three hundred thousand wrong headers',
    {
      ...valid,
      headers: Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`X-${n}`, n])),
    },
  ],
] as const) {
  test(`${what} yield a short error response within a second`, () => {
    const usedMs = processorClock();
    const errors = check(body);
    assert.ok(Object.keys(errors ?? {}).length <= 24);
    assert.ok(JSON.stringify(errors).length < 4_000);
    assert.ok(usedMs() < 1_000);
  });
}

test('no list or map in the schemas allows more than 1,000 entries, because error reports check only so many', () => {
  const limits = JSON.stringify(COMPONENTS).matchAll(/"max(?:Items|Properties)":(\d+)/g);
  for (const [, limit] of limits) assert.ok(Number(limit) <= 1_000);
});

test('schemas are compiled on first use, and the body schemas of all operations compile', () => {
  const wrong = Type.Unsafe<object>({ type: 'object', unknownKeyword: true });
  const check = compileCheck(wrong);
  assert.throws(() => check({}), /unknownKeyword/);
  for (const operations of [OPERATIONS, MAIL_OPERATIONS, DASHBOARD_OPERATIONS])
    for (const { body } of Object.values(operations) as { body?: TSchema }[])
      if (body !== undefined) compileCheck(body)({});
});
