import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fastify, { type FastifyInstance } from 'fastify';
import pino from 'pino';
import { sendProblem } from '../errors.ts';
import { addPages, openPages } from './pages.ts';

const ASSET = '/dashboard/assets/index-Ab12.js';
let folder: string;
let app: FastifyInstance;

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'pages-'));
  mkdirSync(join(folder, 'assets'));
  for (const [name, text] of [
    ['index.html', '<!doctype html>plain'],
    ['index.html.br', 'brotli'],
    ['index.html.gz', 'gzip'],
    ['assets/index-Ab12.js', 'script'],
    ['manifest.json', '{}'],
  ] as const)
    writeFileSync(join(folder, name), text);
  app = fastify();
  app.setErrorHandler((error, _request, reply) => sendProblem(reply, error, pino({ level: 'silent' })));
  addPages(app, 'dashboard', openPages('dashboard', folder));
});
after(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

const get = (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers });

for (const url of ['/dashboard', '/dashboard/', '/dashboard/emails/em_1?q=x', '/dashboard/manifest.json']) {
  test(`${url} returns the page with a header that makes browsers revalidate it`, async () => {
    const { statusCode, headers, body } = await get(url);
    assert.equal(statusCode, 200);
    assert.equal(body, '<!doctype html>plain');
    assert.equal(headers['cache-control'], 'private, no-cache');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; script-src 'self'; /);
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });
}

const ENCODINGS: readonly (readonly [accepts: string, encoding: string | undefined, body: string])[] = [
  ['gzip, deflate, br', 'br', 'brotli'],
  ['gzip', 'gzip', 'gzip'],
  ['br;q=0, gzip;q=0.5', 'gzip', 'gzip'],
  ['identity', undefined, '<!doctype html>plain'],
];
for (const [accepts, encoding, text] of ENCODINGS) {
  test(`a browser that accepts ${accepts} receives ${encoding ?? 'no compression'}`, async () => {
    const { headers, body } = await get('/dashboard', { 'accept-encoding': accepts });
    assert.deepEqual([headers['content-encoding'], body], [encoding, text]);
    assert.equal(headers['vary'], 'accept-encoding');
  });
}

test('a file with a digest in its name is cached forever, and a missing file returns 404 instead of the page', async () => {
  const { headers, body } = await get(ASSET);
  assert.equal(body, 'script');
  assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable');
  const gone = await get('/dashboard/assets/index-Zz99.js');
  assert.equal(gone.statusCode, 404);
  assert.equal(gone.headers['cache-control'], undefined);
});

test('a file that the browser has cached returns 304', async () => {
  const { etag } = (await get('/dashboard')).headers;
  const again = await get('/dashboard', { 'if-none-match': `W/${etag}` });
  assert.deepEqual([again.statusCode, again.body], [304, '']);
});

test('an unknown path below the API prefix returns a problem document instead of the page', async () => {
  const { statusCode, headers, body } = await get('/dashboard/api/nothing');
  assert.deepEqual([statusCode, headers['content-type']], [404, 'application/problem+json']);
  assert.equal(JSON.parse(body).type, '/errors/not-found');
});

test('before the build, the page explains how to build it, and it is served once built', async () => {
  const later = join(folder, 'later');
  const pages = openPages('dashboard', later);
  const other = fastify();
  addPages(other, 'dashboard', pages);
  const before = await other.inject('/dashboard/emails');
  assert.equal(before.statusCode, 503);
  assert.match(before.body, /npm run build:web/);
  assert.equal(await pages.version(), '');
  mkdirSync(later);
  writeFileSync(join(later, 'index.html'), 'built');
  assert.equal((await other.inject('/dashboard')).body, 'built');
  assert.notEqual(await pages.version(), '');
  await other.close();
});
