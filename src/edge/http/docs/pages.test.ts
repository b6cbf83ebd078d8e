import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { ERROR_CODES } from '../../../model/app-error.ts';
import type { ApiDocument } from '../api-document.ts';
import { startTestApi, type TestApi } from '../api.fixture.ts';
import { curlOf, type Instance } from './curl.ts';
import { DocumentReader } from './document.ts';
import { checkPage, type Element, elementsOf } from './page.fixture.ts';
import { referencePage } from './reference-page.ts';

const PAGES = ['/', '/docs', '/docs/webhooks'];
const FILES = [...PAGES, '/docs/style.css', '/docs/script.js'];
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

let api: TestApi;
let document: ApiDocument;
let instance: Instance;
before(async () => {
  api = await startTestApi();
  instance = { address: api.baseUrl, hostedDomain: 'hosted.example' };
  document = parse(await textOf('/openapi.yaml')) as ApiDocument;
});
after(() => api[Symbol.asyncDispose]());

async function textOf(path: string): Promise<string> {
  return (await fetch(api.baseUrl + path)).text();
}

for (const path of FILES) {
  test(`${path} answers anybody, under the strict policy`, async () => {
    const { status, headers } = await fetch(api.baseUrl + path);
    assert.equal(status, 200);
    assert.match(headers.get('content-type') ?? '', /^text\/(?:html|css|javascript); charset=utf-8$/);
    assert.equal(headers.get('content-security-policy'), POLICY);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'no-referrer');
  });

  test(`${path} is not sent again to who has it`, async () => {
    const { headers } = await fetch(api.baseUrl + path);
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^"[\w-]{27}"$/);
    assert.equal(headers.get('cache-control'), 'public, no-cache');
    for (const tag of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await fetch(api.baseUrl + path, { headers: { 'if-none-match': tag } });
      assert.deepEqual([again.status, await again.text(), again.headers.get('etag')], [304, '', etag], tag);
    }
    const other = await fetch(api.baseUrl + path, { headers: { 'if-none-match': '"other"' } });
    assert.equal(other.status, 200);
  });
}

for (const path of PAGES) {
  test(`${path} is well-formed, has nothing inline, loads nothing from elsewhere, and its links lead somewhere`, async () => {
    const elements = checkPage(await textOf(path));
    const links = elements.flatMap(({ attributes }) => attributes['href'] ?? attributes['src'] ?? []);
    for (const link of new Set(links.filter((target) => target.startsWith('.')))) {
      const url = new URL(link, api.baseUrl + path);
      const response = await fetch(url);
      assert.equal(response.status, 200, link);
      const text = await response.text();
      if (url.hash !== '') assert.ok(text.includes(`id="${url.hash.slice(1)}"`), link);
    }
  });
}

test('no page is below /api', async () => {
  for (const path of PAGES) assert.equal((await fetch(`${api.baseUrl}/api${path}`)).status, 404);
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const asked: [what: string, path: string, accept: string | undefined, type: RegExp][] = [
  ['a browser', '/nothing/here', BROWSER, /^text\/html/],
  ['a browser, from a name that begins like the API', '/v1s', BROWSER, /^text\/html/],
  ['a program that prefers pages a little', '/nothing', 'application/json;q=0.5, text/html', /^text\/html/],
  ['curl', '/nothing', '*/*', /^application\/problem\+json/],
  ['a program that says nothing', '/nothing', '', /^application\/problem\+json/],
  [
    'a program that prefers JSON',
    '/nothing',
    'application/json, text/html;q=0.9',
    /^application\/problem\+json/,
  ],
  ['a program that refuses pages', '/nothing', 'text/html;q=0, */*', /^application\/problem\+json/],
  ['a browser, from the API', '/v1/nothing', BROWSER, /^application\/problem\+json/],
  ['a browser, from the API under its prefix', '/api/v1/nothing', BROWSER, /^application\/problem\+json/],
];
for (const [what, path, accept, type] of asked) {
  test(`a path that leads nowhere answers ${what} with ${type.source}`, async () => {
    const { status, headers } = await fetch(api.baseUrl + path, { headers: { accept: accept ?? '' } });
    assert.equal(status, 404);
    assert.match(headers.get('content-type') ?? '', type);
    assert.match(headers.get('x-request-id') ?? '', /^req_/);
  });
}

test('the page of a path that leads nowhere has links that lead somewhere, at any depth, and repeats nothing', async () => {
  for (const path of ['/x', '/x/', '/x/y/z?a=/b', '//evil.example/x', `/${'x/'.repeat(30)}`]) {
    const response = await fetch(api.baseUrl + path, { headers: { accept: BROWSER } });
    assert.equal(response.status, 404, path);
    assert.equal(response.headers.get('content-security-policy'), POLICY);
    const page = await response.text();
    assert.ok(!page.includes('evil') && !page.includes('x/'));
    const elements = path.length < 50 ? checkPage(page) : elementsOf(page);
    for (const { attributes } of elements) {
      const { href = '#' } = attributes;
      if (!href.startsWith('#'))
        assert.equal((await fetch(new URL(href, api.baseUrl + path))).status, 200, `${path} ${href}`);
    }
  }
});

test('HEAD is answered, and another method is refused', async () => {
  const head = await fetch(`${api.baseUrl}/docs`, { method: 'HEAD' });
  assert.equal(head.status, 200);
  const post = await fetch(`${api.baseUrl}/docs`, { method: 'POST' });
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
});

test('the reference has every operation of the document with its scope, parameters, fields, statuses and errors', async () => {
  const elements = checkPage(await textOf('/docs'));
  const reader = new DocumentReader(document);
  assert.ok(reader.operations.length > 0);
  for (const operation of reader.operations) {
    const article = labelled(elements, `op-${operation.operationId}`);
    const expected = [
      `${operation.method} ${operation.path}`,
      operation.summary,
      `Scope ${operation.scope}`,
      ...reader.parameters(operation).map(({ name }) => name),
      ...reader.responses(operation).map(([status]) => status),
      ...reader
        .responses(operation)
        .flatMap(([, { content = {} }]) => Object.keys(content['application/problem+json']?.examples ?? {})),
      curlOf(operation, reader, instance),
    ];
    for (const text of expected) assert.ok(article.text.includes(text), `${operation.operationId}: ${text}`);
    const schema = operation.requestBody?.content['application/json']?.schema;
    const fields = Object.keys(schema === undefined ? {} : (reader.deref(schema).properties ?? {}));
    const shown = within(elements, article).flatMap(({ name, text }) =>
      name === 'dt' ? text.split(' ')[0] : [],
    );
    for (const field of fields) assert.ok(shown.includes(field), `${operation.operationId}: ${field}`);
  }
});

test('the reference has every schema of the document with its fields and examples', async () => {
  const elements = checkPage(await textOf('/docs'));
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const article = labelled(elements, `schema-${name}`);
    for (const field of Object.keys(schema.properties ?? {})) assert.ok(article.text.includes(field), field);
    for (const example of schema.examples ?? [])
      assert.ok(article.text.includes(JSON.stringify(example, null, 2)), name);
  }
});

test('the reference has every error', async () => {
  const ids = new Set(checkPage(await textOf('/docs')).map(({ attributes }) => attributes['id']));
  for (const code of ERROR_CODES) assert.ok(ids.has(`errors-${code}`), code);
});

test('text of the document is text on the page', async () => {
  const evil = `</code><script>alert(1)</script><img src=x onerror="alert(1)">'"&`;
  const hostile = JSON.parse(
    JSON.stringify(document, (key, value: unknown) =>
      ['description', 'summary', 'title', 'example', 'pattern'].includes(key) && typeof value === 'string'
        ? evil
        : value,
    ),
  ) as ApiDocument;
  const errors = await readFile(join(import.meta.dirname, '../../../../docs/errors.md'), 'utf8');
  const elements = checkPage(
    referencePage(hostile, `${errors}\n\n${evil}`, { address: evil, hostedDomain: evil }),
  );
  assert.equal(elements.filter(({ name }) => name === 'script').length, 1);
});

test('every example is a shell command, and names no id and no sender that a fresh instance does not have', () => {
  const reader = new DocumentReader(document);
  const lines = reader.operations.map((operation) => curlOf(operation, reader, instance));
  const { status, stderr } = spawnSync('sh', ['-n'], { input: lines.join('\n') });
  assert.equal(status, 0, String(stderr));
  for (const line of lines) assert.doesNotMatch(line, /\{id\}|_[0-9A-Z]{26}|acme\.example>/);
});

test('an example names the address of the service, and quotes for the shell', () => {
  const reader = new DocumentReader({
    info: { title: '', version: '' },
    servers: [],
    tags: [],
    paths: {
      '/v1/things/{id}': {
        post: {
          operationId: 'x',
          summary: '',
          tags: [],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: {} },
            { name: 'q', in: 'query', required: true, schema: { default: 'a b' } },
            { name: 'X-Need', in: 'header', required: true, schema: {} },
          ],
          requestBody: { content: { 'application/json': { example: { a: "it's $HOME" } } } },
          responses: {
            200: { description: '', content: { 'application/json': { example: { id: 'wh_1' } } } },
          },
        },
      },
    },
    webhooks: {},
    components: { schemas: {}, securitySchemes: {} },
  });
  const [operation] = reader.operations;
  assert.ok(operation);
  assert.equal(
    curlOf(operation, reader, { ...instance, address: 'https://mail.example.com' }),
    `curl -sS -X POST "https://mail.example.com/v1/things/$WEBHOOK_ID?q=a%20b" \\
  -H "Authorization: Bearer $POSTHORN_KEY" \\
  -H 'X-Need: X-NEED' \\
  -H 'Content-Type: application/json' \\
  -d '{
  "a": "it'\\''s $HOME"
}'`,
  );
});

test('text has a contrast of at least 4.5 to 1 in both colour schemes (WCAG 2.2, AA)', async () => {
  const style = await readFile(join(import.meta.dirname, 'style.css'), 'utf8');
  const schemes = [...style.matchAll(/:root \{([^}]*)\}/g)].map(([, block = '']) =>
    Object.fromEntries(
      [...block.matchAll(/--(\w+): #([0-9a-f]{6});/g)].map(([, name, value]) => [name, value]),
    ),
  );
  assert.equal(schemes.length, 2);
  for (const { page = '', panel = '', line: _, ...texts } of schemes) {
    for (const [name, colour = ''] of Object.entries<string | undefined>(texts))
      for (const background of [page, panel]) {
        const ratio = contrast(colour, background);
        assert.ok(ratio >= 4.5, `${name} #${colour} on #${background}: ${ratio.toFixed(2)}`);
      }
  }
});

function labelled(elements: readonly Element[], id: string): Element {
  const found = elements.find(({ attributes }) => attributes['aria-labelledby'] === id);
  assert.ok(found, `there is no ${id}`);
  return found;
}

function within(elements: readonly Element[], ancestor: Element): Element[] {
  return elements.filter((element) => {
    let at: Element | null = element;
    while (at !== null && at !== ancestor) at = at.parent;
    return at === ancestor;
  });
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: string, two: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
