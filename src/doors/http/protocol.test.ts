import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { brotliCompress, deflate, gzip, zstdCompress } from 'node:zlib';
import { AppError } from '../../model/app-error.ts';
import { FULL_ACCESS, startTestApi, type TestApi } from './api.fixture.ts';

let api: TestApi;
before(async () => {
  api = await startTestApi({ rateLimit: 100 });
});
after(() => api[Symbol.asyncDispose]());

const auth = `Authorization: Bearer ${FULL_ACCESS}`;
const email = { from: 'a@x.test', to: ['b@y.test'], text: 'hello' };

/** Sends the head of a request, and returns the response after the connection has ended. */
async function exchange(lines: readonly string[]): Promise<{ status: number; head: string; detail: string }> {
  const socket = connect(api.port, 'localhost');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  await once(socket, 'close');
  const [head = '', answered = ''] = Buffer.concat(chunks).toString().split('\r\n\r\n');
  const { detail = '' } = JSON.parse(answered) as { detail?: string };
  return { status: Number(head.split(' ')[1]), head, detail };
}

for (const [what, lines, named] of [
  ['two Host fields', ['GET /v1/emails HTTP/1.1', 'Host: a', 'host: a', auth], /Host/],
  ['two Host fields on a page', ['GET /healthz HTTP/1.1', 'Host: a', 'HOST: b'], /Host/],
  ['two Authorization fields', ['GET /v1/emails HTTP/1.1', 'Host: a', auth, auth], /Authorization/],
  [
    'two Content-Type fields',
    [
      'POST /v1/emails HTTP/1.1',
      'Host: a',
      auth,
      'Content-Type: application/json',
      'content-type: application/json',
    ],
    /Content-Type/,
  ],
  ['version HTTP/2.0', ['GET /v1/emails HTTP/2.0', 'Host: a', auth], /HTTP\/1\.1/],
  ['version HTTP/2.0 without a key', ['GET /healthz HTTP/2.0', 'Host: a'], /HTTP\/1\.1/],
] as const) {
  test(`a request with ${what} returns 400 and names the cause`, async () => {
    const { status, head, detail } = await exchange([...lines, 'Connection: close']);
    assert.deepEqual([status, named.test(detail)], [400, true], detail);
    assert.match(head, /^HTTP\/1\.1 /);
  });
}

const CODINGS = {
  gzip: promisify(gzip),
  'x-gzip': promisify(gzip),
  br: promisify(brotliCompress),
  zstd: promisify(zstdCompress),
};

function sendCoded(coding: string, rawBody: Uint8Array) {
  return api
    .client(FULL_ACCESS)
    .post('/v1/emails', undefined, { rawBody, headers: { 'content-encoding': coding } });
}

for (const [coding, encode] of Object.entries(CODINGS)) {
  test(`a small or large body compressed with ${coding} is read`, async () => {
    for (const text of ['hello', 'é'.repeat(1_000_000)]) {
      const whole = Buffer.from(JSON.stringify({ ...email, text }));
      assert.equal((await sendCoded(coding.toUpperCase(), await encode(whole))).status, 202);
      assert.equal(api.services.accepted.at(-1)?.send.text, text);
    }
  });

  test(`a body compressed with ${coding} may have at most 6 MiB after decoding`, async () => {
    const bomb = (bytes: number) => encode(Buffer.alloc(bytes, 0x20));
    const earlier = api.services.accepted.length;
    const most = await sendCoded(coding, await bomb(6 * 1024 * 1024));
    assert.equal(most.body['type'], '/errors/malformed-json');
    for (const bytes of [6 * 1024 * 1024 + 1, 20 * 1024 * 1024]) {
      const { status, body } = await sendCoded(coding, await bomb(bytes));
      assert.deepEqual([status, body['type']], [413, '/errors/payload-too-large']);
    }
    assert.equal(api.services.accepted.length, earlier);
  });

  test(`a body that is not valid ${coding} or is truncated returns 400 and names the coding`, async () => {
    const large = await encode(Buffer.from(JSON.stringify({ ...email, text: 'é'.repeat(1_000_000) })));
    const small = await encode(Buffer.from(JSON.stringify(email)));
    for (const bytes of [Buffer.from('{}'), small.subarray(0, -5), large.subarray(0, large.length / 2)]) {
      const { status, body } = await sendCoded(coding, bytes);
      assert.deepEqual([status, body['type']], [400, '/errors/bad-request']);
      assert.match(String(body['detail']), new RegExp(coding));
    }
  });
}

test('an unknown coding or several codings return 400, and the error names them', async () => {
  const twice = await CODINGS.gzip(await CODINGS.gzip(JSON.stringify(email)));
  for (const [coding, bytes] of [
    ['deflate', await promisify(deflate)(JSON.stringify(email))],
    ['gzip, gzip', twice],
    ['gzip, br', twice],
    ['aes128gcm', Buffer.from('{}')],
    ['gzip;q=1', twice],
  ] as const) {
    const { status, body } = await sendCoded(coding, bytes);
    assert.deepEqual([status, body['type']], [400, '/errors/bad-request'], coding);
    assert.ok(String(body['detail']).includes(coding), String(body['detail']));
  }
  assert.equal((await sendCoded('identity', Buffer.from(JSON.stringify(email)))).status, 202);
});

test('a zstd window above the limit of RFC 9659 returns 400', async () => {
  // A zstd frame with a window of 128 MiB and one final, raw block.
  const frame = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x88, 0x11, 0x00, 0x00, 0x7b, 0x7d]);
  const { status, body } = await sendCoded('zstd', frame);
  assert.deepEqual([status, body['type']], [400, '/errors/bad-request']);
});

test('every response has the rate limit of the key or, without a known key, the failure limit of the address', async () => {
  const refuse = async () => {
    throw new AppError('unavailable', 'No.', { retryAfterSeconds: 1 });
  };
  await using limited = await startTestApi({ rateLimit: 100 }, { listEmails: refuse });
  await using away = await startTestApi({ rateLimit: 100 }, { authenticate: refuse });
  const ofKey = '1000';
  const big = 'a'.repeat(7 * 1024 * 1024);
  const post = (body: string, headers = {}) =>
    limited.client(FULL_ACCESS).post('/v1/emails', undefined, { rawBody: body, headers });
  const stranger = limited.client();
  for (const [expected, answer] of [
    [202, await post(JSON.stringify(email))],
    [400, await post('{')],
    [413, await post(big)],
    [422, await post('{}')],
    [503, await limited.client(FULL_ACCESS).get('/v1/emails')],
    [404, await limited.client(FULL_ACCESS).get('/v1/emails/em_0')],
    [401, await stranger.get('/v1/emails')],
    [401, await limited.client('svc_live_wrong').get('/v1/emails')],
    [404, await stranger.get('/v1/nothing')],
    [405, await stranger.delete('/v1/emails')],
    [400, await stranger.get('/v1/emails/%ff')],
    [200, await stranger.get('/healthz')],
    [503, await away.client(FULL_ACCESS).get('/v1/emails')],
  ] as const) {
    assert.equal(answer.status, expected);
    assert.equal(answer.headers.get('ratelimit-limit'), ofKey);
    assert.match(answer.headers.get('ratelimit-remaining') ?? '', /^\d+$/, String(expected));
    assert.match(answer.headers.get('ratelimit-reset') ?? '', /^\d+$/);
  }
});

test('only failed authentications count against the failure limit', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  await using limited = await startTestApi({ rateLimit: 1 });
  const left = async (token?: string, path = '/v1/emails') =>
    Number((await limited.client(token).get(path)).headers.get('ratelimit-remaining'));
  assert.equal(await left(undefined, '/v1/nothing'), 1_000);
  assert.equal(await left('svc_live_wrong'), 999);
  assert.equal(await left(undefined, '/v1/nothing'), 999);
  assert.equal(await left(FULL_ACCESS), 9);
});
