/** Checks the Postman collection against the fields of its format that it uses, and against the operations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { openApiDocument } from '../openapi.ts';
import { OPERATIONS } from '../v1/operations.ts';
import { postmanCollection } from './postman.ts';
import { INSTANCE } from './site.fixture.ts';

interface Request {
  method: string;
  header: { key: string; disabled?: boolean }[];
  url: {
    raw: string;
    path: string[];
    query: { key: string; disabled?: boolean }[];
    variable: { value: string }[];
  };
  body?: { raw: string };
}
interface Item {
  name: string;
  request: Request;
  event?: { script: { exec: string[] } }[];
  response: { code: number; body: string | null }[];
}
interface Collection {
  variable: { key: string; value: string }[];
  item: { name: string; item: Item[] }[];
}

const text = { type: 'string' };
const list = (items: object) => ({ type: 'array', items });
const strict = (properties: object, optional: readonly string[] = []) => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const pair = strict({ key: text, value: text, description: text, disabled: { type: 'boolean' } }, [
  'description',
  'disabled',
]);
const variable = strict({ key: text, value: text, type: { const: 'string' } });
const request = strict(
  {
    method: { enum: ['GET', 'POST', 'PATCH', 'DELETE'] },
    description: text,
    header: list(pair),
    url: strict({ raw: text, host: list(text), path: list(text), query: list(pair), variable: list(pair) }),
    body: strict({
      mode: { const: 'raw' },
      raw: text,
      options: strict({ raw: strict({ language: { const: 'json' } }) }),
    }),
  },
  ['body', 'description'],
);
/** The fields of the format (https://schema.getpostman.com/json/collection/v2.1.0/) that the collection uses. */
const FORMAT = strict({
  info: strict({
    name: text,
    description: text,
    schema: { ...text, pattern: '/v2\\.1\\.0/collection\\.json$' },
  }),
  auth: strict({ type: { const: 'bearer' }, bearer: { ...list(variable), minItems: 1 } }),
  variable: list(variable),
  item: list(
    strict({
      name: text,
      description: text,
      item: list(
        strict(
          {
            name: text,
            request,
            event: list(
              strict({
                listen: { const: 'test' },
                script: strict({ type: { const: 'text/javascript' }, exec: list(text) }),
              }),
            ),
            response: list(
              strict(
                {
                  name: text,
                  originalRequest: request,
                  code: { type: 'integer' },
                  header: list(pair),
                  body: { type: ['string', 'null'] },
                  _postman_previewlanguage: { const: 'json' },
                },
                ['_postman_previewlanguage'],
              ),
            ),
          },
          ['event'],
        ),
      ),
    }),
  ),
});

const collection = postmanCollection(openApiDocument(null, INSTANCE.hostedDomain), INSTANCE) as Collection;
const items = collection.item.flatMap(({ item }) => item);
const itemNamed = (name: string) => items.find((each) => each.name === name) ?? assert.fail(name);

test('the collection has only fields of the format, with the right types', () => {
  const ajv = new Ajv2020();
  assert.ok(ajv.validate(FORMAT, collection), ajv.errorsText());
});

test('the collection has every operation once, with the example of its response', () => {
  assert.deepEqual(
    items.map(({ request: { method, url } }) => `${method} ${url.raw}`).toSorted(),
    OPERATIONS.map(
      ({ method, path }) => `${method} {{base_url}}/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    ).toSorted(),
  );
  for (const { name, response } of items) assert.equal(response.length, 1, name);
});

test('every variable that a request contains is a variable of the collection', () => {
  const known = new Set(collection.variable.map(({ key }) => key));
  const used = new Set([...JSON.stringify(items).matchAll(/\{\{(\w+)\}\}/g)].map(([, name = '']) => name));
  assert.deepEqual(
    [...used].filter((name) => !known.has(name)),
    [],
  );
  assert.equal(collection.variable.find(({ key }) => key === 'base_url')?.value, INSTANCE.address);
});

test('the request that sends an email works without a change, and saves the id for the requests that need it', () => {
  const { request: send, event } = itemNamed('Send an email');
  assert.equal((JSON.parse(send.body?.raw ?? '') as { from: string }).from, 'Acme <orders@hosted.example>');
  assert.deepEqual(
    send.header.map(({ key, disabled = false }) => [key, disabled]),
    [
      ['Content-Type', false],
      ['Idempotency-Key', true],
    ],
  );
  assert.match(event?.[0]?.script.exec.join('\n') ?? '', /set\('email_id', pm\.response\.json\(\)\.id\)/);
  assert.equal(itemNamed('Fetch an email with its timeline').request.url.variable[0]?.value, '{{email_id}}');
});
