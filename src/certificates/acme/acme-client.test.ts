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

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown };
interface Asked {
  path: string;
  payload: unknown;
  nonce: unknown;
}

const NAME = 'mail.acme.example';
const TOKEN = 'evaGxfADs6pSRb2LAv9IZf17Dt3juxGJ';
const KEY = newKey();
const TRUSTED = [testCertificate.cert];

/** What it says to each path: where a test says nothing else, what a server says that issues at once. */
let answers: Record<string, (asked: Asked) => Answer | 'hang up'> = {};
let asked: Asked[] = [];
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
  const one: Asked = {
    path,
    payload: payload === '' ? null : decoded(payload),
    nonce: decoded(head)['nonce'],
  };
  if (request.method === 'POST') asked.push(one);
  const answer = (answers[path] ?? usual[path])?.(one) ?? { status: 404, body: {} };
  if (answer === 'hang up') return void request.socket.destroy();
  nonces += 1;
  response.writeHead(answer.status ?? 200, { 'replay-nonce': `n${nonces}`, ...answer.headers });
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body ?? {}));
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
const usual: Record<string, (asked: Asked) => Answer> = {
  '/dir': () => ({ body: { newNonce: at('/nonce'), newAccount: at('/account'), newOrder: at('/order') } }),
  '/nonce': () => ({}),
  '/account': () => ({ status: 201, headers: { location: at('/account/1') } }),
  '/order': () => ({
    status: 201,
    headers: { location: at('/order/1') },
    body: order({ status: 'pending' }),
  }),
  '/order/1': () => ({
    body: asked.some(({ path }) => path === '/finalize')
      ? order({ status: 'valid', certificate: at('/certificate') })
      : order({}),
  }),
  '/authorization': () => ({
    body: {
      status: asked.some(({ path }) => path === '/challenge') ? 'valid' : 'pending',
      challenges: [challenge({ type: 'dns-01', token: 'another-token-of-dns' }), challenge()],
    },
  }),
  '/challenge': () => ({ body: challenge() }),
  '/finalize': () => ({ body: order({ status: 'processing' }) }),
  '/certificate': () => ({ body: 'no certificate' }),
};

/** @returns why no certificate was obtained, and what was to be proved */
async function order1(said: typeof answers): Promise<{ fault: AcmeFault; published: Challenge[] }> {
  answers = said;
  asked = [];
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

const refusal = (type: string, detail: string, headers = {}): Answer => ({
  status: 403,
  headers,
  body: { type: `urn:ietf:params:acme:error:${type}`, detail },
});

test('an order goes from the account over the proof to the certificate, each request with a nonce of its own', async () => {
  const { published } = await order1({});
  assert.deepEqual(
    asked.map(({ path }) => path),
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
  assert.equal(new Set(asked.map(({ nonce }) => nonce)).size, asked.length);
  assert.deepEqual(asked[0]?.payload, { termsOfServiceAgreed: true });
  assert.deepEqual(asked[1]?.payload, { identifiers: [{ type: 'dns', value: NAME }] });
  assert.equal(published[0]?.type, 'http-01');
  assert.match(published[0]?.keyAuthorization ?? '', new RegExp(`^${TOKEN}\\.[\\w-]{43}$`));
});

test('an order whose address is told without its host is found', async () => {
  const { fault } = await order1({
    '/order': (one) => ({ ...usual['/order']?.(one), headers: { location: '/order/1' } }),
  });
  assert.match(fault.message, /not a certificate of mail\.acme\.example/);
});

for (const location of ['http://localhost:1/order/1', 'https://', 'file:///etc/passwd'])
  test(`an order at ${location} is not asked for`, async () => {
    const { fault } = await order1({
      '/order': (one) => ({ ...usual['/order']?.(one), headers: { location } }),
    });
    assert.match(fault.message, /an order that cannot be read/);
  });

test('a nonce that is refused is replaced, but not for ever', async () => {
  let refused = 0;
  const { fault } = await order1({
    '/order': (one) => {
      refused += 1;
      return refused <= 3 ? refusal('badNonce', 'old') : (usual['/order']?.(one) ?? {});
    },
  });
  assert.equal(refused, 4);
  assert.match(fault.message, /not a certificate of mail\.acme\.example/);
  const always = await order1({ '/order': () => refusal('badNonce', 'old') });
  assert.match(always.fault.message, /badNonce: old/);
  assert.equal(asked.filter(({ path }) => path === '/order').length, 6);
});

const other = selfSigned('other.example', null, new Date());
for (const [what, said, message, retryAfterMs] of [
  ['is no ACME server', { '/dir': () => ({ body: '<html>' }) }, /not the directory of an ACME server/, null],
  [
    'leads off https',
    { '/dir': () => ({ body: { newNonce: 'http://x/', newAccount: 'http://x/', newOrder: 'http://x/' } }) },
    /not the directory/,
    null,
  ],
  ['hangs up', { '/order': () => 'hang up' as const }, /cannot be reached: the connection was closed/, null],
  ['gives no account', { '/account': () => ({ status: 200 }) }, /does not name the account/, null],
  [
    'has had too many orders',
    { '/order': () => refusal('rateLimited', 'too many', { 'retry-after': '7200' }) },
    /rateLimited: too many/,
    7_200_000,
  ],
  [
    'is out of order',
    { '/order': () => ({ status: 503, body: 'try later', headers: { 'retry-after': '60' } }) },
    /HTTP 503/,
    60_000,
  ],
  [
    'sends what is no order',
    { '/order': () => ({ headers: { location: at('/order/1') }, body: [] }) },
    /an order that cannot be read/,
    null,
  ],
  [
    'wants a proof that there is not',
    {
      '/authorization': () => ({ body: { status: 'pending', challenges: [challenge({ type: 'dns-01' })] } }),
    },
    /takes none of tls-alpn-01, http-01/,
    null,
  ],
  [
    'does not reach us',
    {
      '/authorization': () => ({
        body: {
          status: asked.some(({ path }) => path === '/challenge') ? 'invalid' : 'pending',
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
    'gives up the order',
    { '/order/1': () => ({ body: order({ status: 'invalid', error: { type: 'x', detail: 'CAA' } }) }) },
    /the order for mail\.acme\.example is invalid: CAA/,
    null,
  ],
  [
    'issues something else',
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
  test(`a server that ${what} is understood`, async () => {
    const { fault } = await order1(said);
    assert.match(fault.message, message);
    assert.equal(fault.retryAfterMs, retryAfterMs);
  });
}

test('an order that is never ready ends with its time', async () => {
  answers = { '/order/1': () => ({ body: order({ status: 'processing' }) }) };
  asked = [];
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
  answers['/order/1'] = () => {
    if (asked.filter(({ path }) => path === '/order/1').length > 3) ending.abort();
    return { body: order({ status: 'pending' }) };
  };
  await assert.rejects(obtaining);
});
