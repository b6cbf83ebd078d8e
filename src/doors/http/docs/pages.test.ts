import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, test } from 'node:test';
import fastify from 'fastify';
import { startTestApi, type TestApi } from '../api.fixture.ts';
import { openApiDocument } from '../openapi.ts';
import { checkPage, elementsOf } from './page.fixture.ts';
import { addDocs } from './routes.ts';
import { INSTANCE } from './site.fixture.ts';

const PAGES = ['/', '/docs', '/docs/webhooks', '/docs/operate/install', '/docs/api', '/docs/api/emails'];
const FILES = [
  ...PAGES,
  '/docs/style.css',
  '/docs/script.js',
  '/docs/search.json',
  '/docs/postman.json',
  '/docs/index.md',
  '/docs/operate/install.md',
  '/llms.txt',
  '/docs/icon.svg',
  '/favicon.ico',
];
const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

let api: TestApi;
before(async () => {
  api = await startTestApi();
});
after(() => api[Symbol.asyncDispose]());

for (const path of FILES) {
  test(`${path} is served without signing in, with the strict content security policy`, async () => {
    const { status, headers } = await fetch(api.baseUrl + path);
    assert.equal(status, 200);
    assert.match(
      headers.get('content-type') ?? '',
      /^(?:(?:text\/(?:html|css|javascript|markdown|plain)|application\/json); charset=utf-8|image\/svg\+xml)$/,
    );
    assert.equal(headers.get('content-security-policy'), POLICY);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.equal(headers.get('referrer-policy'), 'same-origin');
  });

  test(`${path} returns 304 for a matching ETag`, async () => {
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

/** A script that prints the URLs of the modules that a process loads with the API, one per line. */
const LOADED = `
import { registerHooks } from 'node:module';
registerHooks({ load: (url, context, next) => (console.log(url), next(url, context)) });
await import(${JSON.stringify(new URL('../api.ts', import.meta.url).href)});`;

test('starting the API does not load the renderer of the documentation', () => {
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', LOADED], {
    encoding: 'utf8',
  });
  assert.match(loaded, /\/docs\/routes\.ts\n/);
  assert.doesNotMatch(loaded, /\/docs\/(?:site|markdown)\.ts\n|\/node_modules\/marked\//);
});

test('the page / and its files are served without the renderer of the documentation', async () => {
  const app = fastify();
  const document = (): never => assert.fail('the documentation was rendered');
  addDocs(app, document, () => INSTANCE, null);
  const page = await app.inject('/');
  const files = checkPage(page.body).flatMap(({ name, attributes: { src, href = '' } }) =>
    src !== undefined || name === 'link' ? (src ?? href) : [],
  );
  assert.ok(files.length >= 4);
  for (const file of files) {
    const { statusCode } = await app.inject(new URL(file, 'http://localhost/').pathname);
    assert.equal(statusCode, 200, file);
  }
});

test('the first pages say where the set-up link is, only while there is no owner', async () => {
  const app = fastify();
  let needsOwner = true;
  const document = () => openApiDocument(INSTANCE.address, INSTANCE.hostedDomain);
  addDocs(app, document, () => INSTANCE, {
    isSignedIn: async () => false,
    needsOwner: async () => needsOwner,
  });
  const paths = ['/', '/docs', '/docs/webhooks'];
  const bodies = () => Promise.all(paths.map(async (path) => (await app.inject(path)).body));
  const says = (page: string) => page.includes('This server has no owner yet.');
  const before = await bodies();
  assert.deepEqual(before.map(says), [true, true, false]);
  for (const page of before) checkPage(page);
  needsOwner = false;
  assert.deepEqual((await bodies()).map(says), [false, false, false]);
});

test('documentation pages are not served below /api', async () => {
  for (const path of PAGES) assert.equal((await fetch(`${api.baseUrl}/api${path}`)).status, 404);
});

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
const requests: [what: string, path: string, accept: string | undefined, type: RegExp][] = [
  ['a browser', '/nothing/here', BROWSER, /^text\/html/],
  ['a browser, at a path that starts like the API', '/v1s', BROWSER, /^text\/html/],
  ['a program that slightly prefers pages', '/nothing', 'application/json;q=0.5, text/html', /^text\/html/],
  ['curl', '/nothing', '*/*', /^application\/problem\+json/],
  ['a program without an Accept header', '/nothing', '', /^application\/problem\+json/],
  [
    'a program that prefers JSON',
    '/nothing',
    'application/json, text/html;q=0.9',
    /^application\/problem\+json/,
  ],
  ['a program that excludes pages', '/nothing', 'text/html;q=0, */*', /^application\/problem\+json/],
  ['a browser, at the API', '/v1/nothing', BROWSER, /^application\/problem\+json/],
  ['a browser, at the API under its prefix', '/api/v1/nothing', BROWSER, /^application\/problem\+json/],
];
for (const [what, path, accept, type] of requests) {
  test(`an unknown path returns ${type.source} to ${what}`, async () => {
    const { status, headers } = await fetch(api.baseUrl + path, { headers: { accept: accept ?? '' } });
    assert.equal(status, 404);
    assert.match(headers.get('content-type') ?? '', type);
    assert.match(headers.get('x-request-id') ?? '', /^req_/);
  });
}

test('the page for an unknown path has working links at any depth and does not echo the path', async () => {
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

test('HEAD returns the headers of a page, and other methods return 405', async () => {
  const head = await fetch(`${api.baseUrl}/docs`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text()], [200, '']);
  const post = await fetch(`${api.baseUrl}/docs`, { method: 'POST' });
  assert.deepEqual([post.status, post.headers.get('allow')], [405, 'GET, HEAD']);
});

const MOVED: [from: string, to: string][] = [
  ['/docs/', '/docs'],
  ['/docs/index', '/docs'],
  ['/docs.md', '/docs/index.md'],
  ['/docs/sdk/manual', '/docs/sdk'],
  ['/docs/sdk/manual/', '/docs/sdk'],
  ['/docs/operate/install/', '/docs/operate/install'],
  ['/errors/domain-not-verified', '/docs/errors#domain-not-verified'],
];
for (const [from, to] of MOVED) {
  test(`${from} redirects to ${to}`, async () => {
    const { headers } = await fetch(api.baseUrl + from, { redirect: 'manual' });
    assert.equal(new URL(headers.get('location') ?? '', api.baseUrl + from).href, api.baseUrl + to);
    assert.equal((await fetch(api.baseUrl + to)).status, 200);
  });
}

test('only listed files are served, and neither decisions nor files of other folders', async () => {
  for (const path of [
    'decisions/0074-pages',
    'decisions/0074-pages.md',
    'architecture',
    '../package.json',
    '..%2fpackage.json',
    'files/style.css',
    'errors/x',
  ])
    assert.equal((await fetch(`${api.baseUrl}/docs/${path}`)).status, 404, path);
  assert.equal((await fetch(`${api.baseUrl}/errors/nothing`)).status, 404);
});

test('pages are compressed according to Accept-Encoding', async () => {
  for (const [accept, encoding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
    ['br;q=0', null],
  ] as const) {
    const answer = await fetch(`${api.baseUrl}/docs/api/emails`, { headers: { 'accept-encoding': accept } });
    assert.equal(answer.headers.get('content-encoding'), encoding);
    assert.match(answer.headers.get('vary') ?? '', /accept-encoding/);
    assert.match(await answer.text(), /<\/html>\n$/);
  }
});

test('files that guides link to are served with their media types', async () => {
  for (const [path, type] of [
    ['operate/alerts.yaml', 'text/plain; charset=utf-8'],
    ['operate/grafana-dashboard.json', 'application/json; charset=utf-8'],
    ['images/overview.png', 'image/png'],
  ]) {
    const { status, headers } = await fetch(`${api.baseUrl}/docs/${path}`);
    assert.deepEqual([status, headers.get('content-type')], [200, type]);
  }
});
