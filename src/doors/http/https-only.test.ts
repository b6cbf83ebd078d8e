import assert from 'node:assert/strict';
import { type IncomingMessage, type OutgoingHttpHeaders, request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { createSecureContext } from 'node:tls';
import fastify, { type FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { type RealApi, startRealApi } from '../../../test/support/api.ts';
import { selfSigned } from '../../rfc/acme/certificates.ts';
import { httpsOnly } from './https-only.ts';

const NAME = 'posthorn.acme.example';
const BASE = `https://${NAME}`;
/** The address of the trusted proxy. */
const PROXY = '127.0.0.1';
const STRANGER = '127.0.0.2';
const certificate = createSecureContext(selfSigned(NAME, null, new Date()));

let api: RealApi;
let plainOnly: RealApi;
/** A service whose web client has a separate host. */
let hosts: FastifyInstance;
const warnings: string[] = [];
const logger = pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) });
before(async () => {
  const listenAddress = { addresses: ['127.0.0.1'], port: 0 };
  api = await startRealApi(
    {},
    {
      listenAddress,
      baseUrl: BASE,
      trustedProxies: [PROXY],
      securityContact: 'mailto:security@acme.example',
      https: {
        listenAddress,
        secureContext: () => certificate,
        challengeResponses: { http: () => null, tls: () => null },
      },
    },
  );
  plainOnly = await startRealApi({}, { listenAddress, baseUrl: `http://${NAME}`, trustedProxies: [PROXY] });
  hosts = fastify();
  hosts.addHook('onRequest', httpsOnly({ baseUrl: BASE, mailUrl: 'https://mail.acme.example', logger }));
  hosts.all('/*', async () => 'answered');
  await hosts.listen({ host: '127.0.0.1', port: 0 });
});
after(() => Promise.all([api, plainOnly, hosts].map((each) => each?.[Symbol.asyncDispose]())));

interface Sent {
  port: number;
  path: string;
  method?: string;
  from?: string;
  headers?: OutgoingHttpHeaders;
  isSecure?: boolean;
}

async function send({ port, path, method = 'GET', from = STRANGER, headers = {}, isSecure = false }: Sent) {
  const answered = Promise.withResolvers<IncomingMessage>();
  const options = {
    host: '127.0.0.1',
    port,
    path,
    method,
    localAddress: from,
    agent: false,
    headers: { host: NAME, ...headers },
  };
  const sent = isSecure
    ? requestSecurely({ ...options, rejectUnauthorized: false }, answered.resolve)
    : request(options, answered.resolve);
  sent.on('error', answered.reject).end();
  const answer = await answered.promise;
  const text = (await answer.toArray()).join('');
  return { status: answer.statusCode, headers: answer.headers, text };
}

const REDIRECTED = [
  '/',
  '/?from=mail',
  '/dashboard',
  '/dashboard/',
  '/dashboard/emails?q=a%20b',
  '/mail',
  '/docs',
];
const ALSO_REDIRECTED = ['/mail/a@b/inbox', '/docs/errors', '/docs/style.css', '/d%61shboard'];
for (const path of [...REDIRECTED, ...ALSO_REDIRECTED])
  test(`${path} redirects from http to https`, async () => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await send({ port: api.port, path, method });
      assert.deepEqual([status, headers.location], [308, BASE + path], method);
      assert.equal(headers['strict-transport-security'], undefined);
    }
    assert.notEqual((await send({ port: plainOnly.port, path })).status, 308);
  });

const ANSWERED = [
  '/healthz',
  '/readyz',
  '/metrics',
  '/v1/emails',
  '/api/v1/emails',
  '/api/openapi.yaml',
  '/openapi.yaml',
  '/openapi.json',
  '/llms.txt',
  '/.well-known/acme-challenge/a',
  '/.well-known/security.txt',
  '/t/o/a',
  '/t/u/a',
  '/t/c/a',
  '/s/AAAAAAAAAAAAAAAAAAAAAA',
  '/dashboard/api/session',
  '/mail/api/session',
  '/dashboard/api/openapi.json',
  '/dashboards',
  '/docsx',
  '/mail/setup',
  '/mail/config-v1.1.xml?emailaddress=a@b',
  '/errors/not-found',
  '//dashboard',
];
for (const path of ANSWERED)
  test(`${path} is served over plain http`, async () => {
    const { status, headers } = await send({ port: api.port, path });
    assert.notEqual(status, 308);
    assert.equal(headers['strict-transport-security'], undefined);
  });

test('requests other than GET and HEAD are not redirected', async () => {
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.notEqual((await send({ port: api.port, path: '/dashboard', method })).status, 308);
});

test('a request counts as https if its connection has TLS, or if a trusted proxy says so in X-Forwarded-Proto', async () => {
  const https = { 'x-forwarded-proto': 'https' };
  const cases: readonly [sent: Partial<Sent>, isSecure: boolean][] = [
    [{ isSecure: true, port: api.httpsPort }, true],
    [{ from: PROXY, headers: https }, true],
    [{ from: PROXY, headers: { 'x-forwarded-proto': 'http' } }, false],
    [{ from: PROXY }, false],
    [{ from: STRANGER, headers: https }, false],
  ];
  for (const [sent, isSecure] of cases)
    for (const path of ['/dashboard', '/v1/emails', '/healthz']) {
      const { status, headers } = await send({ port: api.port, path, ...sent });
      assert.equal(status === 308, path === '/dashboard' && !isSecure, `${path} ${JSON.stringify(sent)}`);
      assert.equal(headers['strict-transport-security'], isSecure ? 'max-age=31536000' : undefined);
    }
  const plain = await send({ port: plainOnly.port, path: '/healthz', from: PROXY, headers: https });
  assert.equal(plain.headers['strict-transport-security'], undefined);
});

const MAIL = 'mail.acme.example';
const AT_HOSTS: readonly (readonly [host: string, path: string, location: string | undefined])[] = [
  [NAME, '/mail/inbox', `https://${MAIL}/mail/inbox`],
  [MAIL, '/', `https://${MAIL}/`],
  [`${MAIL}:80`, '/mail', `https://${MAIL}/mail`],
  [MAIL, '/dashboard', undefined],
  [NAME, '/dashboard', `${BASE}/dashboard`],
  ['192.0.2.1', '/', `${BASE}/`],
  ['evil.example', '/mail', `https://${MAIL}/mail`],
];
for (const [host, path, location] of AT_HOSTS)
  test(`if the web client has its own host, ${host}${path} redirects to ${location ?? 'nothing'}`, async () => {
    const { port } = hosts.server.address() as AddressInfo;
    assert.equal((await send({ port, path, headers: { host } })).headers.location, location);
  });

test('the first request from an untrusted proxy that claims https is logged as a warning, and later ones are not', async () => {
  const { port } = hosts.server.address() as AddressInfo;
  const headers = { 'x-forwarded-proto': 'https' };
  for (let nth = 0; nth < 3; nth++) await send({ port, path: '/dashboard', headers });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /127\.0\.0\.2.*POSTHORN_TRUSTED_PROXIES/);
});

test('pages have Permissions-Policy, and pages of other sites cannot load JSON', async () => {
  const page = { isSecure: true, port: api.httpsPort };
  for (const path of ['/', '/docs', '/dashboard', '/docs/no-such-page'])
    assert.match(
      (await send({ ...page, path, headers: { accept: 'text/html' } })).headers[
        'permissions-policy'
      ]?.toString() ?? '',
      /camera=\(\).*microphone=\(\)/,
      path,
    );
  for (const path of ['/v1/emails', '/readyz', '/dashboard/api/session', '/docs/search.json'])
    assert.equal(
      (await send({ ...page, path })).headers['cross-origin-resource-policy'],
      'same-origin',
      path,
    );
  const image = { ...page, path: '/v1/emails', headers: { 'sec-fetch-dest': 'image' } };
  assert.equal((await send(image)).headers['cross-origin-resource-policy'], undefined);
});

test('security.txt contains the configured contact, and returns 404 if no contact is configured', async () => {
  const { status, headers, text } = await send({ port: api.port, path: '/.well-known/security.txt' });
  assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8']);
  assert.match(text, /^Contact: mailto:security@acme\.example\n/);
  assert.match(text, /^Canonical: https:\/\/posthorn\.acme\.example\/\.well-known\/security\.txt$/m);
  const expires = Date.parse(/^Expires: (.*)$/m.exec(text)?.[1] ?? '') - Date.now();
  assert.ok(expires > 170 * 86_400_000 && expires < 365 * 86_400_000);
  assert.equal((await send({ port: plainOnly.port, path: '/.well-known/security.txt' })).status, 404);
});
