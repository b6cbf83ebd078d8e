import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { testCertificate } from '../../test/support/tls/certificate.ts';
import { startWebhookReceiver, type ReceiverBehavior } from '../../test/support/webhook-receiver.ts';
import { GuardedClient, type GuardedClientOptions } from './guarded-client.ts';
import type { PostResult } from './http-exchange.ts';

const TIMEOUT_MS = 5_000;
/** A timeout for responses that never end. */
const SHORT_MS = 100;

function client(options: Partial<GuardedClientOptions> = {}): GuardedClient {
  return new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 10, ...options });
}

function post(from: GuardedClient, url: string, timeoutMs = TIMEOUT_MS, signal?: AbortSignal) {
  const request = { headers: { 'x-test': 'yes' }, body: '{"ö":1}', timeoutMs };
  return from.post(url, signal === undefined ? request : { ...request, signal });
}

async function answered(answer: ReceiverBehavior, timeoutMs = TIMEOUT_MS): Promise<PostResult> {
  await using receiver = await startWebhookReceiver({ answer });
  await using sender = client();
  // `await` here, because the client and the receiver are disposed of at the end of this scope.
  return await post(sender, receiver.url, timeoutMs);
}

test('a POST request is sent with its headers, path, query and body, and returns the response', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 201, body: 'thanks' } });
  await using sender = client();
  const result = await post(sender, `${receiver.url}/a%20b?c=d&e`);
  const { durationMs, ...rest } = result;
  assert.deepEqual(rest, {
    httpStatus: 201,
    error: null,
    responseBody: 'thanks',
    responseTruncated: false,
    retryAfter: null,
  });
  assert.ok(Number.isInteger(durationMs) && durationMs >= 0);
  const [got] = receiver.received;
  assert.equal(got?.method, 'POST');
  assert.equal(got?.path, '/hook/a%20b?c=d&e');
  assert.equal(got?.body, '{"ö":1}');
  assert.equal(got?.headers['x-test'], 'yes');
  assert.equal(got?.headers['content-length'], '8');
});

test('connections are reused and limited in number', async () => {
  await using receiver = await startWebhookReceiver({ answer: { status: 500, body: 'x'.repeat(60_000) } });
  await using sender = client({ maxConnectionsPerOrigin: 2 });
  for (let posts = 0; posts < 5; posts++) await post(sender, receiver.url);
  await Promise.all(Array.from({ length: 10 }, () => post(sender, receiver.url)));
  assert.equal(receiver.received.length, 15);
  assert.equal(receiver.connections, 2);
});

test('a redirect is returned and not followed', async () => {
  await using elsewhere = await startWebhookReceiver();
  const result = await answered({ status: 307, headers: { location: elsewhere.url } });
  assert.equal(result.httpStatus, 307);
  assert.deepEqual(elsewhere.received, []);
});

test('a long body is truncated to 4 KB between characters', async () => {
  const { responseBody, responseTruncated } = await answered({ body: `a${'ü'.repeat(3_000)}` });
  assert.equal(responseBody, `a${'ü'.repeat(2_047)}`);
  assert.equal(responseTruncated, true);
  assert.deepEqual((await answered({ body: 'a'.repeat(4_096) })).responseTruncated, false);
  // Each of these octets becomes U+FFFD, which takes three bytes.
  assert.deepEqual((await answered({ body: Buffer.alloc(2_000, 0xff) })).responseTruncated, true);
});

test('NUL and invalid UTF-8 are replaced', async () => {
  const { responseBody } = await answered({ body: Buffer.from([0x61, 0, 0xc3, 0x28]) });
  assert.equal(responseBody, 'a\ufffd\ufffd(');
});

test('an endless body is aborted after 64 KB, and the status is returned', async () => {
  const result = await answered({ status: 202, ending: 'endless' });
  assert.equal(result.httpStatus, 202);
  assert.equal(result.error, null);
  assert.equal(result.responseBody, '0'.repeat(4_096));
  assert.equal(result.responseTruncated, true);
});

test('a stalled body is aborted after the timeout, and the status is returned', async () => {
  const { httpStatus, responseBody, responseTruncated } = await answered(
    { body: 'ab', ending: 'stall' },
    SHORT_MS,
  );
  assert.deepEqual(
    { httpStatus, responseBody, responseTruncated },
    { httpStatus: 200, responseBody: 'ab', responseTruncated: true },
  );
});

test('the status is returned if the connection is lost during the body', async () => {
  const { httpStatus, error } = await answered({ body: 'ab', ending: 'break' });
  assert.deepEqual({ httpStatus, error }, { httpStatus: 200, error: null });
});

test('no response within the timeout is an error', async () => {
  const { httpStatus, error, durationMs } = await answered('silence', SHORT_MS);
  assert.equal(httpStatus, null);
  assert.equal(error, 'timed out after 100 ms, waiting for the response');
  assert.ok(durationMs >= SHORT_MS - 1);
});

test('a request that times out while it waits for a connection is not sent later', async () => {
  await using receiver = await startWebhookReceiver({ answer: 'silence' });
  await using sender = client({ maxConnectionsPerOrigin: 1 });
  const [first, second] = await Promise.all([
    post(sender, receiver.url, 2 * SHORT_MS),
    post(sender, receiver.url, SHORT_MS),
  ]);
  assert.match(String(first?.error), /waiting for the response/);
  assert.match(String(second?.error), /waiting for a connection/);
  receiver.answerWith({});
  assert.equal((await post(sender, receiver.url)).httpStatus, 200);
  assert.equal(receiver.received.length, 2);
});

test('a reset connection and a refused connection are errors', async () => {
  assert.equal((await answered('reset')).error, 'the connection was closed before a response');
  await using sender = client();
  const receiver = await startWebhookReceiver();
  await receiver[Symbol.asyncDispose]();
  assert.equal((await post(sender, receiver.url)).error, 'connection refused');
});

test('the caller can abort a request before it starts and while it is pending', async () => {
  await using receiver = await startWebhookReceiver({ answer: 'silence' });
  await using sender = client();
  assert.equal(
    (await post(sender, receiver.url, TIMEOUT_MS, AbortSignal.abort())).error,
    'cancelled by the service',
  );
  assert.equal(receiver.connections, 0);
  const controller = new AbortController();
  const pending = post(sender, receiver.url, TIMEOUT_MS, controller.signal);
  await receiver.waitFor(1);
  controller.abort();
  assert.equal((await pending).error, 'cancelled by the service');
});

test('disposing of the client aborts pending requests, and no request is sent afterwards', async () => {
  await using receiver = await startWebhookReceiver({ answer: 'silence' });
  const sender = client();
  const pending = post(sender, receiver.url);
  await receiver.waitFor(1);
  await sender[Symbol.asyncDispose]();
  assert.equal((await pending).error, 'cancelled by the service');
  assert.equal((await post(sender, receiver.url)).error, 'cancelled by the service');
});

test('a request to any URL resolves to a result', async () => {
  await using sender = client();
  for (const url of [
    '',
    'no url',
    'ftp://localhost/',
    'file:///etc/passwd',
    'http://',
    'http://[::1%25lo]/',
  ]) {
    const { httpStatus, error } = await post(sender, url);
    assert.deepEqual({ httpStatus, error }, { httpStatus: null, error: 'not an http or https URL' }, url);
  }
});

test('an invalid header is returned as an error', async () => {
  await using sender = client();
  const result = await sender.post('http://127.0.0.1:1/', {
    headers: { 'x-test': 'a\r\nb: c' },
    body: '',
    timeoutMs: TIMEOUT_MS,
  });
  assert.equal(result.error, 'the request failed (UND_ERR_INVALID_ARG)');
});

test('a GET request has no body, and returns the media type and the requested part of the response', async () => {
  const body = 'a'.repeat(65_536);
  const headers = { 'content-type': 'text/plain; charset=utf-8' };
  await using receiver = await startWebhookReceiver({ answer: { headers, body } });
  await using sender = client();
  const request = { headers: { accept: 'text/plain' }, timeoutMs: TIMEOUT_MS };
  const whole = await sender.get(receiver.url, { ...request, maxStoredBytes: 65_536 });
  assert.equal(whole.responseBody, body);
  const { httpStatus, contentType, error, errorCode, responseTruncated } = whole;
  assert.deepEqual(
    { httpStatus, contentType, error, errorCode, responseTruncated },
    {
      httpStatus: 200,
      contentType: 'text/plain; charset=utf-8',
      error: null,
      errorCode: null,
      responseTruncated: false,
    },
  );
  const part = await sender.get(receiver.url, { ...request, maxStoredBytes: 10 });
  assert.deepEqual([part.responseBody, part.responseTruncated], ['a'.repeat(10), true]);
  receiver.answerWith({ headers, body: `${body}a` });
  assert.equal(
    (await sender.get(receiver.url, { ...request, maxStoredBytes: 65_536 })).responseTruncated,
    true,
  );
  assert.deepEqual([receiver.received[0]?.method, receiver.received[0]?.body], ['GET', '']);
});

test('a failed GET request returns the error code', async () => {
  await using receiver = await startWebhookReceiver({ tls: testCertificate });
  await using sender = client();
  const request = { headers: {}, timeoutMs: TIMEOUT_MS, maxStoredBytes: 10 };
  const failed = await sender.get(receiver.url, request);
  assert.deepEqual([failed.httpStatus, failed.errorCode], [null, 'DEPTH_ZERO_SELF_SIGNED_CERT']);
  const unsaid = await sender.get('ftp://localhost/', request);
  assert.deepEqual([unsaid.error, unsaid.errorCode], ['not an http or https URL', null]);
});

test('an untrusted certificate is rejected, and a trusted certificate is accepted', async () => {
  await using receiver = await startWebhookReceiver({ tls: testCertificate });
  await using wary = client();
  assert.match(String((await post(wary, receiver.url)).error), /^TLS: /);
  await using sender = client({ ca: [testCertificate.cert] });
  assert.equal((await post(sender, receiver.url)).httpStatus, 200);
  assert.equal((await post(sender, receiver.url.replace('127.0.0.1', 'localhost'))).httpStatus, 200);
  const wrongName = await post(sender, receiver.url.replace('127.0.0.1', 'other.localhost'));
  assert.match(String(wrongName.error), /^TLS: Hostname\/IP does not match/);
});

const LITERALS: readonly [written: string, dialled: boolean][] = [
  ['127.0.0.1', true],
  ['localhost', true],
  ['localhost.', true],
  ['hooks.localhost', true],
  // The URL parser normalizes the next four hosts to 127.0.0.1 (WHATWG URL).
  ['0177.0.0.1', true],
  ['0x7f.1', true],
  ['2130706433', true],
  ['127.1', true],
  ['[::ffff:127.0.0.1]', false],
  ['[::7f00:1]', false],
  ['0', false],
  ['10.0.0.1', false],
  ['012.0.0.1', false],
  ['169.254.169.254', false],
  ['[fe80::1]', false],
  ['[fd00::1]', false],
  ['[64:ff9b::7f00:1]', false],
  ['[2002:7f00:1::]', false],
];

test('in development, loopback is dialed in every notation, but no other special address', async () => {
  await using receiver = await startWebhookReceiver();
  await using sender = client();
  for (const [host, dialled] of LITERALS) {
    const result = await post(sender, `http://${host}:${receiver.port}/`);
    assert.equal(result.httpStatus, dialled ? 200 : null, host);
    if (!dialled) assert.equal(result.error, 'the address is not public', host);
  }
});

test('in production, no special address is dialed, and no URL without TLS', async () => {
  await using receiver = await startWebhookReceiver({ tls: testCertificate });
  await using sender = client({ allowLoopback: false });
  for (const [host] of LITERALS) {
    const { error } = await post(sender, `https://${host}:${receiver.port}/`);
    const isName = host.includes('localhost');
    assert.equal(error, isName ? 'the host has no public address' : 'the address is not public', host);
  }
  assert.equal((await post(sender, 'http://8.8.8.8/')).error, 'only https is allowed');
  assert.equal(receiver.connections, 0);
});

test('a host is dialed only at addresses of the look-up that was checked', async () => {
  await using receiver = await startWebhookReceiver({ answer: { headers: { connection: 'close' } } });
  await using dns = await startDnsServer();
  await using sender = client({ dns: dns.address });
  const url = `http://hook.example:${receiver.port}/`;
  // Each query gets a different response, so the test would notice if the connection made a second look-up.
  const answers = [
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['10.0.0.1', '127.0.0.1', '192.168.0.1'],
    ['169.254.169.254'],
  ];
  let asked = 0;
  dns.zone = {
    'hook.example': {
      get A() {
        return answers[asked++] ?? [];
      },
    },
  };
  assert.equal((await post(sender, url)).httpStatus, 200);
  assert.equal((await post(sender, url)).error, 'the host has no public address');
  assert.equal((await post(sender, url)).httpStatus, 200);
  assert.equal((await post(sender, url)).error, 'the host has no public address');
  assert.equal(asked, 4);
  assert.equal(receiver.received.length, 2);
});

test('a host name without an address and a failed look-up are errors', async () => {
  await using dns = await startDnsServer({ 'broken.example': { fault: 'servfail' }, 'empty.example': {} });
  await using sender = client({ dns: dns.address });
  assert.equal((await post(sender, 'http://none.example/')).error, 'the host name has no address');
  assert.equal((await post(sender, 'http://empty.example/')).error, 'the host name has no address');
  assert.equal((await post(sender, 'http://broken.example/')).error, 'the host name could not be looked up');
});
