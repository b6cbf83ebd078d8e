import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { servedContract } from '../../../test/support/api-client.ts';
import { FULL_ACCESS, startTestApi, type TestApi } from './api.fixture.ts';

let api: TestApi;
before(async () => {
  api = await startTestApi();
});
after(() => api[Symbol.asyncDispose]());

const auth = `Authorization: Bearer ${FULL_ACCESS}\r\n`;
const body = JSON.stringify({ from: 'a@x.test', to: ['b@y.test'], text: 'hello' });
const post = (headers: string, sent: string) =>
  `POST /v1/emails HTTP/1.1\r\nHost: x\r\n${auth}${headers}\r\n\r\n${sent}`;

const exchange = (...parts: (string | Buffer)[]): Promise<string> => exchangeWith(api.port, ...parts);

/** Sends the parts, and returns all data received until the connection ends. */
async function exchangeWith(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, 'localhost');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('error', () => {});
  for (const part of parts) socket.write(part);
  await once(socket, 'close');
  return Buffer.concat(chunks).toString();
}

/** Sends the parts, and returns the response after validating it against the OpenAPI document. */
async function responseTo(path: string, ...parts: (string | Buffer)[]) {
  const text = await exchange(...parts);
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const status = Number(statusLine.split(' ')[1]);
  const answered = rest.join('\r\n\r\n');
  assert.match(headers.get('content-type') ?? '', /json/, text);
  const received = { status, headers, text: answered, body: JSON.parse(answered) as Record<string, unknown> };
  (await servedContract(api.baseUrl)).check('TRACE', path, received);
  return received;
}

for (const [what, request, detail] of [
  ['a nonsense line', 'nonsense\r\n\r\n', /not HTTP/],
  ['an unknown method', 'FETCH /v1/emails HTTP/1.1\r\nHost: x\r\n\r\n', /not HTTP/],
  [
    'a TLS ClientHello',
    Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc, 0x03, 0x03]),
    /not HTTP/,
  ],
  ['the HTTP/2 preface', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /not HTTP/],
  ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n', /not HTTP/],
  ['a NUL in a header', 'GET / HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n', /not HTTP/],
  ['two Content-Length fields', post('Content-Length: 5\r\nContent-Length: 6', 'abcdef'), /not HTTP/],
  [
    'Content-Length together with chunks',
    post('Content-Length: 5\r\nTransfer-Encoding: chunked', '0\r\n\r\n'),
    /not HTTP/,
  ],
  [
    'a broken chunk',
    post('Content-Type: application/json\r\nTransfer-Encoding: chunked', 'zz\r\n'),
    /not HTTP/,
  ],
  [
    'headers of 20 kB',
    `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`,
    /larger than 16384/,
  ],
  ['a path of 20 kB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, /larger than 16384/],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org\r\n\r\n', /proxy/],
  [
    'an unknown expectation',
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: magic\r\nConnection: close\r\n\r\n',
    /100-continue/,
  ],
  ['no Host', 'GET /v1/emails HTTP/1.1\r\nConnection: close\r\n\r\n', /Host/],
  ['a path that is not UTF-8', 'GET /v1/emails/%ff HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n', /path/],
  [
    'a truncated percent-encoding',
    'GET /v1/emails/%e HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    /path/,
  ],
] as const) {
  test(`input with ${what} returns 400 with a problem document`, async () => {
    const { status, body: problem } = await responseTo('/', request);
    assert.equal(status, 400);
    assert.equal(problem['type'], '/errors/bad-request');
    assert.match(String(problem['detail']), detail);
  });
}

test('a request with an unknown expectation gets rate limit headers, and input that is not HTTP does not', async () => {
  await using limited = await startTestApi({ rateLimit: 100 });
  const expecting = 'Host: x\r\nExpect: more\r\nConnection: close\r\n\r\n';
  assert.match(
    await exchangeWith(limited.port, `GET /v1/emails HTTP/1.1\r\n${expecting}`),
    /^HTTP\/1.1 400 [^]*\r\nratelimit-limit: 1000\r\n/i,
  );
  // RFC 9110, section 10.1.1: a server ignores Expect in an HTTP/1.0 request.
  assert.match(await exchangeWith(limited.port, `GET /healthz HTTP/1.0\r\n${expecting}`), /^HTTP\/1.1 200/);
  assert.doesNotMatch(await exchangeWith(limited.port, 'nonsense\r\n\r\n'), /ratelimit/i);
});

test('a client that resets its connection during CONNECT does not affect other connections', async () => {
  // A separate server, because an uncaught error fails the test that started the server.
  await using proxy = await startTestApi();
  for (let n = 0; n < 20; n++) {
    const socket = connect(proxy.port, 'localhost');
    socket.on('error', () => {});
    await once(socket, 'connect');
    socket.write('CONNECT a.test:1 HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.resetAndDestroy();
  }
  const answered = await exchangeWith(proxy.port, 'CONNECT a.test:1 HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.match(answered, /^HTTP\/1.1 400/);
});

test('a request with a truncated body sends no email', async () => {
  const earlier = api.services.accepted.length;
  const socket = connect(api.port, 'localhost');
  socket.end(post(`Content-Type: application/json\r\nContent-Length: ${body.length + 1}`, body));
  socket.resume();
  await once(socket, 'close');
  assert.equal(api.services.accepted.length, earlier);
});

test('two Idempotency-Key headers return 422, but a comma in a single header is allowed', async () => {
  const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  const two = await responseTo('/', post(`${type}\r\nIdempotency-Key: a\r\nIdempotency-Key: b`, body));
  assert.deepEqual(Object.keys(two.body['errors'] as object), ['Idempotency-Key']);
  const one = await exchange(post(`${type}\r\nIdempotency-Key: a, b`, body));
  assert.match(one, /^HTTP\/1.1 202/);
});

test('a chunked body is read, and a body without chunks counts as empty, whatever its media type', async () => {
  const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close';
  const whole = await exchange(post(head, `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`));
  assert.match(whole, /^HTTP\/1.1 202/);
  const none = await responseTo('/', post(head.replace('application/json', 'what ever'), '0\r\n\r\n'));
  assert.equal(none.status, 422);
});

test('a client that waits for 100 Continue receives it', async () => {
  const head = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\nConnection: close`;
  assert.match(await exchange(post(head, body)), /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 202/);
});

test('a client that is still sending an oversized body receives the error response', async () => {
  const chunk = Buffer.alloc(1024 * 1024, 0x20);
  for (const length of [{ 'content-length': 30 * chunk.length }, { 'transfer-encoding': 'chunked' }]) {
    const headers = { ...length, 'content-type': 'application/json', authorization: `Bearer ${FULL_ACCESS}` };
    // Without an agent, the client sends `Connection: close`. The server must still keep the connection open while the client is sending.
    const request = httpRequest(`${api.baseUrl}/v1/emails`, { method: 'POST', agent: false, headers });
    for (let n = 0; n < 30; n++) request.write(chunk);
    request.end();
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    assert.equal(response.statusCode, 413);
    response.resume();
    await once(request, 'close');
  }
});

test('an HTTP/1.0 client without a Host header is served', async () => {
  assert.match(await exchange(`GET /v1/emails HTTP/1.0\r\n${auth}\r\n`), /^HTTP\/1.1 200/);
});

for (const [what, next, expected] of [
  ['is not HTTP does not replace the response', 'nonsense\r\n\r\n', []],
  ['is a CONNECT does not replace the response', 'CONNECT a.test:1 HTTP/1.1\r\nHost: x\r\n\r\n', []],
  [
    'has an unknown expectation is answered after the response',
    'GET / HTTP/1.1\r\nHost: x\r\nExpect: more\r\nConnection: close\r\n\r\n',
    ['500', '400'],
  ],
] as const) {
  test(`pipelined input that ${what}`, async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await using slow = await startTestApi(
      {},
      {
        acceptEmail: async () => {
          await promise;
          throw new Error('for the answer');
        },
      },
    );
    const sent = post(`Content-Type: application/json\r\nContent-Length: ${body.length}`, body + next);
    const exchanged = exchangeWith(slow.port, sent);
    if (expected.length > 0) resolve();
    const statuses = Array.from((await exchanged).matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => status);
    resolve();
    assert.deepEqual(statuses, expected);
  });
}
