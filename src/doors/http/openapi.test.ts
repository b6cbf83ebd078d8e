import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { servedContract } from '../../../test/support/api-client.ts';
import { closeSchemas, contractOf } from '../../../test/support/openapi.ts';
import { ERROR_CODES } from '../../model/app-error.ts';
import type { ApiDocument, Media, Parameter, Schema } from './api-document.ts';
import { startTestApi, type TestApi } from './api.fixture.ts';
import { DocumentReader } from './docs/reference/document.ts';
import { openApiDocument } from './openapi.ts';
import { PROBLEMS } from './problem.ts';
import { OPERATIONS } from './v1/operations.ts';

const ROOT = join(import.meta.dirname, '../../..');
let api: TestApi;
before(async () => {
  api = await startTestApi({ baseUrl: 'https://mail.example.com' });
});
after(() => api[Symbol.asyncDispose]());

test('/api/openapi.yaml serves the same document as /openapi.yaml', async () => {
  const [one, two] = await Promise.all(
    ['/openapi.yaml', '/api/openapi.yaml'].map(async (path) => {
      const response = await fetch(api.baseUrl + path);
      assert.equal(response.headers.get('content-type'), 'application/yaml');
      return response.text();
    }),
  );
  assert.equal(one, two);
  // The limit for clients is in the description of each list.
  assert.doesNotMatch(one ?? '', /x-max-listed|x-secret|x-content/);
});

test('/openapi.json serves the document of /openapi.yaml as JSON', async () => {
  const yaml = await (await fetch(`${api.baseUrl}/openapi.yaml`)).text();
  for (const path of ['/openapi.json', '/api/openapi.json']) {
    const response = await fetch(api.baseUrl + path);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.deepEqual(await response.json(), parse(yaml));
  }
});

for (const path of ['/openapi.yaml', '/openapi.json']) {
  test(`${path} is compressed, and is not sent again while it is unchanged`, async () => {
    const { headers } = await fetch(api.baseUrl + path, { headers: { 'accept-encoding': 'gzip' } });
    assert.equal(headers.get('content-encoding'), 'gzip');
    assert.equal(headers.get('cache-control'), 'public, no-cache');
    const tag = headers.get('etag') ?? '';
    const again = await fetch(api.baseUrl + path, { headers: { 'if-none-match': tag } });
    assert.deepEqual([again.status, await again.text()], [304, '']);
  });
}

test('the served document equals the document that tests validate responses against', async () => {
  const { servers: _address, ...served } = (await servedContract(api.baseUrl)).document as unknown as Record<
    string,
    unknown
  >;
  const { servers: _none, ...own } = JSON.parse(
    JSON.stringify(
      contractOf(JSON.stringify(openApiDocument(null, 'hosted.example'))).document,
      (key, value: unknown) => (['x-max-listed', 'x-secret', 'x-content'].includes(key) ? undefined : value),
    ),
  ) as Record<string, unknown>;
  assert.deepEqual(served, own);
});

test('the document is OpenAPI 3.1 with contract version 0.3.0 and contains every operation once', async () => {
  const { document } = await servedContract(api.baseUrl);
  assert.equal(document.openapi, '3.1.0');
  assert.equal(document.info.version, '0.3.0');
  const documented = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual(documented.sort(), OPERATIONS.map(({ method, path }) => `${method} /v1${path}`).sort());
});

/** A parameter or a body of the document, with its examples. */
interface Exemplified {
  what: string;
  schema: Schema | undefined;
  examples: unknown[];
}

function exemplified(document: ApiDocument): Exemplified[] {
  const reader = new DocumentReader(document);
  const bodies = (what: string, content: Readonly<Record<string, Media>> = {}): Exemplified[] =>
    Object.entries(content).map(([type, { schema, example, examples = {} }]) => ({
      what: `${what} ${type}`,
      schema,
      examples: [
        ...(example === undefined ? [] : [example]),
        ...Object.values(examples).map(({ value }) => value),
      ],
    }));
  const values = (what: string, parameters: readonly Parameter[] = []): Exemplified[] =>
    parameters.map(({ name, schema, example }) => ({
      what: `${what} ${name}`,
      schema,
      examples: [...(schema.enum ?? []), schema.default, example].filter((value) => value !== undefined),
    }));
  const requests = [...reader.operations, ...Object.values(document.webhooks).map(({ post }) => post)];
  return requests.flatMap((operation) => [
    ...values(operation.operationId, operation.parameters),
    ...bodies(operation.operationId, operation.requestBody?.content),
    ...reader
      .responses(operation)
      .flatMap(([status, { content }]) => bodies(`${operation.operationId} ${status}`, content)),
  ]);
}

test('every parameter, request, response and event has an example that is valid against its schema', () => {
  const document = openApiDocument(null);
  closeSchemas(document.components.schemas);
  const ajv = new Ajv2020({
    strict: false,
    formats: { 'date-time': (text) => !Number.isNaN(Date.parse(text)) },
  });
  ajv.addSchema(document, 'api');
  const all = exemplified(document);
  assert.ok(all.length > 100);
  for (const { what, schema, examples } of all) {
    assert.ok(examples.length > 0, `${what} has no example`);
    const text = JSON.stringify(schema).replaceAll('"#/', '"api#/');
    const validate = ajv.compile(JSON.parse(text) as object);
    for (const example of examples)
      assert.ok(
        validate(example),
        `${what}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(example)}`,
      );
  }
});

test('the example of Problem is an error of the operation that sends an email', () => {
  const reader = new DocumentReader(openApiDocument(null));
  const [send] = reader.operations;
  assert.ok(send);
  const response = reader.responses(send).find(([status]) => status === '422')?.[1];
  assert.deepEqual(
    reader.document.components.schemas['Problem']?.examples?.[0],
    response?.content?.['application/problem+json']?.examples?.['validation-failed']?.value,
  );
});

test('every operation documents the common error responses', async () => {
  const { document } = await servedContract(api.baseUrl);
  for (const [method, operation] of Object.values(document.paths).flatMap((path) => Object.entries(path))) {
    const statuses = ['400', '401', '403', '422', '429', '500', '503', ...(method === 'get' ? [] : ['413'])];
    for (const status of statuses) assert.ok(status in operation.responses, `${method} ${status}`);
  }
});

test('code, document and docs/errors.md contain the same error codes with the same statuses', async () => {
  const page = await readFile(join(ROOT, 'docs/errors.md'), 'utf8');
  const sections = page.split(/^## /m).slice(1);
  const onPage = sections.flatMap((section) => {
    const slugs = [...section.matchAll(/^### `([a-z-]+)`$/gm)].map(([, slug]) => String(slug));
    return slugs.map((slug) => [slug, Number.parseInt(section, 10)] as const);
  });
  const inCode = ERROR_CODES.map((code) => [code, PROBLEMS[code].status] as const);
  assert.deepEqual(Object.fromEntries(onPage), Object.fromEntries(inCode));
  assert.equal(onPage.length, ERROR_CODES.length);

  const { document } = await servedContract(api.baseUrl);
  const { type } = (document.components.schemas['Problem'] as { properties: { type: { enum: string[] } } })
    .properties;
  assert.deepEqual(type.enum.sort(), ERROR_CODES.map((code) => `/errors/${code}`).sort());
});

test('redocly reports no errors in the document', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-openapi-'));
  try {
    const file = join(folder, 'openapi.yaml');
    await writeFile(file, await (await fetch(`${api.baseUrl}/openapi.yaml`)).text());
    const run = promisify(execFile)(join(ROOT, 'node_modules/.bin/redocly'), ['lint', file], {
      env: { ...process.env, REDOCLY_TELEMETRY: 'off' },
    });
    await assert.doesNotReject(run);
  } finally {
    await rm(folder, { recursive: true });
  }
});
