import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { testCertificate } from '../../../test/support/tls/certificate.ts';
import { newKey, selfSigned } from '../../rfc/acme/certificates.ts';
import { AcmeClient, AcmeFault } from './acme-client.ts';
import type { Challenge } from './challenges.ts';
import { obtainCertificate } from './obtain-certificate.ts';

type Reply = { status?: number; headers?: Record<string, string>; body?: unknown };
interface Received {
  path: string;
  payload: unknown;
  nonce: unknown;
}

const NAME = 'mail.acme.example';
const TOKEN = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ';
const KEY = newKey();
const TRUSTED = [testCertificate.cert];

/** By path, how the server replies in the current test. At other paths, it replies like an authority that issues at once. */
let replies: Record<string, (received: Received) => Reply | 'hang up'> = {};
let received: Received[] = [];
let origin = '';
let nonces = 0;

const server = createServer(testCertificate, (request, response) => void serve(request, response));
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url ?? '';
  const body = await text(request);
  const { protected: head = '', payload = '' } = (body === '' ? {} : JSON.parse(body)) as Record<
    string,
    string
  >;
  const decoded = (part: string): Record<string, unknown> =>
    part === '' ? {} : (JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
  const one: Received = {
    path,
    payload: payload === '' ? null : decoded(payload),
    nonce: decoded(head)['nonce'],
  };
  if (request.method === 'POST') received.push(one);
  const reply = (replies[path] ?? usual[path])?.(one) ?? { status: 404, body: {} };
  if (reply === 'hang up') return void request.socket.destroy();
  nonces += 1;
  response.writeHead(reply.status ?? 200, { 'replay-nonce': `n${nonces}`, ...reply.headers });
  response.end(typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {}));
}

const at = (path: string): string => `${origin}${path}`;
const order = (fields: object) => ({
  status: 'ready',
  authorizations: [at('/authorization')],
  finalize: at('/finalize'),
  ...fields,
});
const challenge = (fields: object = {}) => ({
  type: 'http-01',
  url: at('/challenge'),
  token: TOKEN,
  ...fields,
});
const usual: Record<string, (received: Received) => Reply> = {
  '/dir': () => ({ body: { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') } }),
  '/nonce': () => ({}),
  '/account': () => ({ status: 201, headers: { location: at('/account/1') } }),
  '/order': () => ({
    status: 201,
    headers: { location: at('/order/1') },
    body: order({ status: 'pending' }),
  }),
  '/order/1': () => ({
    body: received.some(({ path }) => path === '/finalize')
      ? order({ status: 'valid', certificate: at('/certificate') })
      : order({}),
  }),
  '/authorization': () => ({
    body: {
      status: received.some(({ path }) => path === '/challenge') ? 'valid' : 'pending',
      challenges: [challenge({ type: 'dns-01', token: 'another-token-of-dns' }), challenge()],
    },
  }),
  '/challenge': () => ({ body: challenge() }),
  '/finalize': () => ({ body: order({ status: 'processing' }) }),
  '/certificate': () => ({ body: 'no certificate' }),
};

/** Orders a certificate from a server that must not issue it. @returns the error of the client, and the published challenges */
async function order1(overrides: typeof replies): Promise<{ fault: AcmeFault; published: Challenge[] }> {
  replies = overrides;
  received = [];
  const published: Challenge[] = [];
  const signal = AbortSignal.timeout(10_000);
  try {
    await using client = await AcmeClient.open(at('/dir'), KEY, signal, TRUSTED);
    await obtainCertificate({
      client,
      accountKey: KEY,
      name: NAME,
      types: ['tls-alpn-01', 'http-01'],
      publish: async (each) => void published.push(each),
      signal,
      timings: { pollMs: 1 },
    });
  } catch (error) {
    assert.ok(error instanceof AcmeFault, String(error));
    return { fault: error, published };
  }
  return assert.fail('a certificate was obtained');
}

const rejection = (type: string, detail: string, headers = {}): Reply => ({
  status: 403,
  headers,
  body: { type: `urn:ietf:params:acme:error:${type}`, detail },
});

test('the client opens an account, answers the challenge and gets the certificate, with a new nonce for each request', async () => {
  const { published } = await order1({});
  assert.deepEqual(
    received.map(({ path }) => path),
    [
      '/account',
      '/order',
      '/authorization',
      '/challenge',
      '/authorization',
      '/order/1',
      '/finalize',
      '/order/1',
      '/certificate',
    ],
  );
  assert.equal(new Set(received.map(({ nonce }) => nonce)).size, received.length);
  assert.deepEqual(received[0]?.payload, { termsOfServiceAgreed: true });
  assert.deepEqual(received[1]?.payload, { identifiers: [{ type: 'dns', value: NAME }] });
  assert.equal(published[0]?.type, 'http-01');
  assert.match(published[0]?.keyAuthorization ?? '', new RegExp(`^${TOKEN}\\.[\\w-]{43}$`));
});

test('the client accepts an order with a relative URL', async () => {
  const { fault } = await order1({
    '/order': (one) => ({ ...usual['/order']?.(one), headers: { location: '/order/1' } }),
  });
  assert.match(fault.message, /not a certificate of mail\.acme\.example/);
});

for (const location of ['http://localhost:1/order/1', 'https://', 'file:///etc/passwd'])
  test(`the client rejects an order with the URL ${location}`, async () => {
    const { fault } = await order1({
      '/order': (one) => ({ ...usual['/order']?.(one), headers: { location } }),
    });
    assert.match(fault.message, /an order that cannot be read/);
  });

test('the client retries a request with a new nonce if its nonce is rejected, at most five times', async () => {
  let refused = 0;
  const { fault } = await order1({
    '/order': (one) => {
      refused += 1;
      return refused <= 3 ? rejection('badNonce', 'old') : (usual['/order']?.(one) ?? {});
    },
  });
  assert.equal(refused, 4);
  assert.match(fault.message, /not a certificate of mail\.acme\.example/);
  const always = await order1({ '/order': () => rejection('badNonce', 'old') });
  assert.match(always.fault.message, /badNonce: old/);
  assert.equal(received.filter(({ path }) => path === '/order').length, 6);
});

const other = selfSigned('other.example', null, new Date());
for (const [behavior, overrides, message, retryAfterMs] of [
  [
    'is not an ACME server',
    { '/dir': () => ({ body: '<html>' }) },
    /not the directory of an ACME server/,
    null,
  ],
  [
    'has URLs without https',
    { '/dir': () => ({ body: { newNonce: 'http://x/', newAccount: 'http://x/', newOrder: 'http://x/' } }) },
    /not the directory/,
    null,
  ],
  [
    'closes the connection',
    { '/order': () => 'hang up' as const },
    /cannot be reached: the connection was closed/,
    null,
  ],
  ['sends no account URL', { '/account': () => ({ status: 200 }) }, /sent no account URL/, null],
  [
    'limits the rate of orders',
    { '/order': () => rejection('rateLimited', 'too many', { 'retry-after': '7200' }) },
    /rateLimited: too many/,
    7_200_000,
  ],
  [
    'is unavailable',
    { '/order': () => ({ status: 503, body: 'try later', headers: { 'retry-after': '60' } }) },
    /HTTP 503/,
    60_000,
  ],
  [
    'sends an invalid order',
    { '/order': () => ({ headers: { location: at('/order/1') }, body: [] }) },
    /an order that cannot be read/,
    null,
  ],
  [
    'requires another challenge type',
    {
      '/authorization': () => ({ body: { status: 'pending', challenges: [challenge({ type: 'dns-01' })] } }),
    },
    /offers none of tls-alpn-01, http-01/,
    null,
  ],
  [
    'cannot connect for the challenge',
    {
      '/authorization': () => ({
        body: {
          status: received.some(({ path }) => path === '/challenge') ? 'invalid' : 'pending',
          challenges: [
            challenge({ error: { type: 'urn:ietf:params:acme:error:connection', detail: 'Timeout' } }),
          ],
        },
      }),
    },
    /http-01 for mail\.acme\.example failed: connection: Timeout/,
    null,
  ],
  [
    'fails the order',
    { '/order/1': () => ({ body: order({ status: 'invalid', error: { type: 'x', detail: 'CAA' } }) }) },
    /the order for mail\.acme\.example is invalid: CAA/,
    null,
  ],
  [
    'issues a certificate of another name',
    { '/certificate': () => ({ body: other.cert }) },
    /not a certificate of mail\.acme\.example/,
    null,
  ],
  [
    'sends too much',
    { '/certificate': () => ({ body: 'x'.repeat(1_000_000) }) },
    /not a certificate of mail\.acme\.example/,
    null,
  ],
] as const) {
  test(`the client reports a server that ${behavior}`, async () => {
    const { fault } = await order1(overrides);
    assert.match(fault.message, message);
    assert.equal(fault.retryAfterMs, retryAfterMs);
  });
}

test('the client stops polling an order when the signal aborts', async () => {
  replies = { '/order/1': () => ({ body: order({ status: 'processing' }) }) };
  received = [];
  const ending = new AbortController();
  await using client = await AcmeClient.open(at('/dir'), KEY, ending.signal, TRUSTED);
  const obtaining = obtainCertificate({
    client,
    accountKey: KEY,
    name: NAME,
    types: ['http-01'],
    publish: async () => {},
    signal: ending.signal,
    timings: { pollMs: 1 },
  });
  replies['/order/1'] = () => {
    if (received.filter(({ path }) => path === '/order/1').length > 3) ending.abort();
    return { body: order({ status: 'pending' }) };
  };
  await assert.rejects(obtaining);
});
