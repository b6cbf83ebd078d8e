import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Schema } from '../../api-document.ts';
import { fieldsOf, limitsOf, objectRules, typeOf } from './schema-view.ts';

const types: readonly [schema: Schema, words: string][] = [
  [{ type: 'string' }, 'string'],
  [{ type: 'string', format: 'date-time' }, 'string (date-time)'],
  [{ type: ['integer', 'null'] }, 'integer or null'],
  [{ type: 'array', items: { type: 'string' } }, 'array of strings'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'map of strings'],
  [{ type: 'object', additionalProperties: false }, 'object'],
  [{ $ref: '#/components/schemas/Thing' }, '<a href="#schema-Thing">Thing</a>'],
  [{ anyOf: [{ $ref: '#/x/Thing' }, { type: 'null' }] }, '<a href="#schema-Thing">Thing</a> or null'],
  [{ not: {} }, 'not allowed'],
  [{ const: 1 }, 'number'],
  [{}, 'any'],
];
for (const [schema, words] of types) {
  test(`the type of ${JSON.stringify(schema)} is shown in words`, () =>
    assert.equal(typeOf(schema, (name) => `#schema-${name}`).toString(), words));
}

const limits: readonly [schema: Schema, words: string[]][] = [
  [{ minLength: 1, maxLength: 998 }, ['1 to 998 characters']],
  [{ minLength: 12 }, ['at least 12 characters']],
  [{ 'x-max-bytes': 2_097_152 }, ['at most 2,097,152 bytes in UTF-8']],
  [{ minimum: 1, maximum: 200, default: 50 }, ['1 to 200', 'default <code>50</code>']],
  [{ exclusiveMinimum: 0 }, ['more than 0']],
  [{ minItems: 1, uniqueItems: true }, ['at least 1 item', 'each once']],
  [{ enum: ['a', null] }, ['one of <code>a</code>, <code>null</code>']],
  [{ const: 'a' }, ['always <code>a</code>']],
  [{ type: 'array', maxItems: 3, items: { maxLength: 5 } }, ['at most 3 items', 'each at most 5 characters']],
  [
    { additionalProperties: { maxLength: 5 }, maxProperties: 2 },
    ['at most 2 entries', 'each at most 5 characters'],
  ],
  [
    { minItems: 1, maxItems: 1_000, description: 'At most 50 together.', items: { maxLength: 5 } },
    ['at least 1 item', 'each at most 5 characters'],
  ],
  [{ pattern: '^<$' }, ['matches <code>^&lt;$</code>']],
];
for (const [schema, words] of limits) {
  test(`the limits of ${JSON.stringify(schema)} are shown in words`, () =>
    assert.deepEqual(limitsOf(schema).map(String), words));
}

test('nested fields are named by their path, such as data[].id', () => {
  const schema: Schema = {
    properties: {
      data: { type: 'array', items: { properties: { id: {} }, required: ['id'] } },
      inner: { properties: { deep: { properties: { est: {} } } } },
      maybe: { anyOf: [{ properties: { x: {} } }, { type: 'null' }] },
    },
  };
  assert.deepEqual(
    fieldsOf(schema).map(({ name, required }) => [name, required]),
    [
      ['data', false],
      ['data[].id', true],
      ['inner', false],
      ['inner.deep', false],
      ['inner.deep.est', false],
      ['maybe', false],
      ['maybe.x', false],
    ],
  );
});

test('rules that concern an object as a whole are shown', () => {
  const rules = objectRules({
    properties: { a: {} },
    anyOf: [{ required: ['a'] }, { required: ['b'] }],
    additionalProperties: false,
  });
  assert.match(
    String(rules),
    /At least one of <code>a<\/code>, <code>b<\/code> is required\. Unknown fields/,
  );
  assert.equal(objectRules({ properties: {} }), null);
});
