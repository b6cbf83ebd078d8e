import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { GENERATED, generate } from './generate.ts';
import type { ApiDocument, Schema } from '../src/doors/http/api-document.ts';
import { openApiDocument } from '../src/doors/http/openapi.ts';
import { Resources } from './src/generated.ts';
import { commentOf, declarationOf, typeOf } from './generator/schema-type.ts';

test('the committed src/generated.ts equals the output of the generator for the document of the API', async () => {
  const isEqual = (await readFile(GENERATED, 'utf8')) === generate(openApiDocument(null));
  assert.ok(isEqual, 'The API has changed. Run npm run -s generate -w sdk');
});

test('sdk/README.md lists every operation', async () => {
  const manual = await readFile(new URL('README.md', import.meta.url), 'utf8');
  for (const [resource, methods] of Object.entries(new Resources(async () => undefined as never))) {
    const row = manual.split('\n').find((line) => line.startsWith(`| \`${resource}\` `)) ?? '';
    for (const method of Object.keys(methods))
      assert.ok(row.includes(`\`${method}(`), `${resource}.${method}`);
  }
});

const TYPES: readonly (readonly [schema: Schema, type: string])[] = [
  [{}, 'unknown'],
  [{ description: 'anything' }, 'unknown'],
  [{ type: 'integer' }, 'number'],
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ type: ['string', 'null'], enum: ['low', null] }, '"low" | null'],
  [{ const: true }, 'true'],
  [{ not: {} }, 'never'],
  [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
  [{ type: 'object' }, 'Record<string, unknown>'],
  [{ type: 'object', additionalProperties: { type: 'string' } }, 'Record<string, string>'],
  [{ $ref: '#/components/schemas/Email' }, 'Email'],
  [{ anyOf: [{ $ref: '#/components/schemas/Email' }, { type: 'null' }] }, 'Email | null'],
  [{ allOf: [{ $ref: '#/components/schemas/A' }, { $ref: '#/components/schemas/B' }] }, '(A) & (B)'],
];
for (const [schema, type] of TYPES) {
  test(`${JSON.stringify(schema)} is ${type}`, () => assert.equal(typeOf(schema), type));
}

test('an object type marks optional properties, and anyOf marks required ones', () => {
  const schema: Schema = {
    type: 'object',
    required: ['to'],
    properties: { to: { type: 'string' }, 'x-y': { type: 'integer', description: 'Why.' }, no: { not: {} } },
  };
  const members = '{\n"to": string;\n/** Why. */\n"x-y"?: number | undefined;\n"no"?: undefined;\n}';
  assert.equal(declarationOf('A', schema), `export interface A ${members}\n`);
  const either = { ...schema, anyOf: [{ required: ['x-y'] }, { required: ['no'] }] };
  assert.equal(
    declarationOf('A', either),
    `export type A = ${members} & ({ "x-y": number } | { "no": never })\n`,
  );
});

const UNKNOWN: readonly Schema[] = [
  { type: 'file' },
  { $ref: '#/components/responses/internal' },
  { patternProperties: {} } as Schema,
  { type: 'object', properties: {}, anyOf: [{ properties: {} }] },
];
for (const schema of UNKNOWN) {
  test(`${JSON.stringify(schema)} is an error`, () => assert.throws(() => typeOf(schema), TypeError));
}

test('a description cannot end its comment', () => {
  assert.equal(commentOf('a */ b'), '/** a *\\/ b */\n');
});

test('the second method with the same verb has the full operation name, and an operation with an unknown tag is an error', () => {
  const document = (...operations: (readonly [operationId: string, tag: string])[]): ApiDocument => ({
    info: { title: 'T', version: '1' },
    servers: [],
    tags: [{ name: 'emails' }],
    webhooks: {},
    components: { schemas: {}, securitySchemes: {} },
    paths: Object.fromEntries(
      operations.map(([operationId, tag]) => [
        `/v1/${operationId}`,
        { get: { operationId, summary: 'S', tags: [tag], responses: { 204: { description: 'D' } } } },
      ]),
    ),
  });
  assert.match(generate(document(['getEmail', 'emails'])), /get\(options\?: CallOptions\): Promise<void>/);
  const two = generate(document(['getEmail', 'emails'], ['getOther', 'emails']));
  assert.match(two, /get\(options.*getOther\(options/s);
  assert.throws(() => generate(document(['getEmail', 'letters'])), /getEmail needs exactly one tag/);
});
