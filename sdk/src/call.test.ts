import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createCall, type PosthornOptions } from './call.ts';
import { failureOf } from './failure-of.fixture.ts';
import { Resources } from './generated.ts';
import { Posthorn } from './index.ts';
import { type Scripted, scriptedServer } from './scripted-server.fixture.ts';

const API_KEY = 'svc_live_test';
const QUEUED = { id: 'em_1', status: 'queued', created_at: '2026-11-20T15:04:05.123Z' };
const ACCEPTED: Scripted = { status: 202, body: QUEUED };
const EMAIL = { from: 'a@acme.example', to: ['b@example.org'], text: 'hello' };
const BUSY: Scripted = {
  status: 503,
  headers: { 'retry-after': '3', 'x-request-id': 'req_1' },
  body: { type: '/errors/unavailable', title: 'Temporarily unavailable', status: 503, instance: 'req_1' },
};

/** A client for the test server. Waits between attempts are recorded and skipped. */
function resources(baseUrl: string, options: Partial<PosthornOptions> = {}) {
  const waits: number[] = [];
  const call = createCall(
    { apiKey: API_KEY, baseUrl, ...options },
    {
      wait: async (ms, signal) => {
        signal?.throwIfAborted();
        waits.push(ms);
      },
      nowMs: () => 0,
      random: () => 1,
    },
  );
  return { posthorn: new Resources(call), call, waits };
}

test('a request has the API key and a JSON body, and no headers or parameters without a value', async () => {
  await using server = await scriptedServer(ACCEPTED, { status: 200, body: { data: [], next_cursor: null } });
  const posthorn = new Posthorn({ apiKey: API_KEY, baseUrl: `${server.baseUrl}/api/` });
  assert.deepEqual(await posthorn.emails.send(EMAIL), QUEUED);
  await posthorn.emails.list({ status: 'bounced', to: 'a+b@c.example', limit: 2, cursor: undefined });
  const [send, list] = server.seen;
  assert.equal(`${send?.method} ${send?.url}`, 'POST /api/v1/emails');
  assert.equal(send?.headers.authorization, 'Bearer svc_live_test');
  assert.equal(send?.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(send?.body ?? ''), EMAIL);
  assert.equal(
    `${list?.method} ${list?.url}`,
    'GET /api/v1/emails?status=bounced&to=a%2Bb%40c.example&limit=2',
  );
  assert.equal(list?.headers['content-type'], undefined);
  assert.equal(list?.headers['idempotency-key'], undefined);
});

const FAILURES: readonly (readonly [name: string, failure: Scripted])[] = [
  ['a broken connection', 'reset'],
  ['a truncated response', 'cut'],
  ['429', { status: 429 }],
  ['500', { status: 500 }],
  ['502 from a proxy', { status: 502, body: '<html>Bad Gateway</html>' }],
  ['503', { status: 503 }],
  ['504', { status: 504 }],
];

for (const [name, failure] of FAILURES) {
  test(`after ${name}, a send is retried with the same generated idempotency key`, async () => {
    await using server = await scriptedServer(failure, failure, ACCEPTED);
    const { posthorn, waits } = resources(server.baseUrl);
    assert.deepEqual(await posthorn.emails.send(EMAIL), QUEUED);
    const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
    assert.match(String(keys[0]), /^[0-9a-f-]{36}$/);
    assert.deepEqual(keys, [keys[0], keys[0], keys[0]]);
    assert.equal(new Set(server.seen.map(({ body }) => body)).size, 1);
    assert.deepEqual(waits, [500, 1_000]);
  });
}

for (const [name, failure] of FAILURES) {
  const isSafe = ['429', '503'].includes(name);
  test(`after ${name}, a POST other than a send is ${isSafe ? '' : 'not '}retried`, async () => {
    await using server = await scriptedServer(failure, { status: 200, body: { ok: true } });
    const { call } = resources(server.baseUrl);
    const answer = call({ method: 'POST', path: '/v1/webhooks/{id}/test', id: 'wh_1' });
    if (isSafe) assert.deepEqual(await answer, { ok: true });
    else await failureOf(answer);
    assert.equal(server.seen.length, isSafe ? 2 : 1);
  });
}

test('cancel and add suppressions are repeatable, so they are retried after a lost response', async () => {
  const done: Scripted = { status: 200, body: {} };
  await using server = await scriptedServer('reset', done, { status: 502 }, done);
  const { posthorn } = resources(server.baseUrl);
  await posthorn.emails.cancel('em_1');
  await posthorn.suppressions.add({ addresses: ['ann@dst.example'] });
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ['/v1/emails/em_1/cancel', '/v1/emails/em_1/cancel', '/v1/suppressions', '/v1/suppressions'],
  );
});

test('a POST that could not connect is retried, because it was never sent', async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => {
    closed.listen(0, '127.0.0.1', resolve);
  });
  const address = closed.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  await new Promise((resolve) => {
    closed.close(resolve);
  });
  const { call, waits } = resources(`http://127.0.0.1:${port}`);
  const error = await failureOf(call({ method: 'POST', path: '/v1/domains', body: {} }));
  assert.equal(error.status, null);
  assert.equal(waits.length, 2);
});

test('each send has a new generated idempotency key, unless the caller passes a key', async () => {
  await using server = await scriptedServer(ACCEPTED);
  const { posthorn } = resources(server.baseUrl);
  await posthorn.emails.send(EMAIL);
  await posthorn.emails.send(EMAIL);
  await posthorn.emails.send(EMAIL, { idempotencyKey: 'order-1' });
  const keys = server.seen.map(({ headers }) => headers['idempotency-key']);
  assert.equal(new Set(keys).size, 3);
  assert.equal(keys[2], 'order-1');
});

test('a retry waits for the delay of Retry-After', async () => {
  await using server = await scriptedServer(BUSY, ACCEPTED);
  const { posthorn, waits } = resources(server.baseUrl);
  await posthorn.emails.send(EMAIL);
  assert.deepEqual(waits, [3_000]);
});

test('a call whose response has a Retry-After of days fails at once, and its error has the number of seconds', async () => {
  await using server = await scriptedServer({ status: 429, headers: { 'retry-after': '864000' } });
  const { posthorn, waits } = resources(server.baseUrl);
  const error = await failureOf(posthorn.emails.send(EMAIL));
  assert.equal(error.retryAfterSeconds, 864_000);
  assert.deepEqual(waits, []);
});

test('a call fails with the error of the last attempt once the retries are used up', async () => {
  await using server = await scriptedServer('reset', 'reset', BUSY);
  const { posthorn } = resources(server.baseUrl);
  const error = await failureOf(posthorn.emails.send(EMAIL));
  assert.equal(server.seen.length, 3);
  assert.equal(error.status, 503);
  assert.equal(error.type, '/errors/unavailable');
  assert.equal(error.retryAfterSeconds, 3);
});

test('a call with maxRetries 0 makes one attempt', async () => {
  await using server = await scriptedServer(BUSY);
  await failureOf(resources(server.baseUrl, { maxRetries: 0 }).posthorn.emails.send(EMAIL));
  assert.equal(server.seen.length, 1);
});

test('a call fails at once after a permanent error, and the error has all details of the response', async () => {
  const problem = {
    type: '/errors/validation-failed',
    title: 'Validation failed',
    status: 422,
    detail: 'The request is not valid.',
    instance: 'req_7',
    errors: { from: 'must be an address' },
  };
  await using server = await scriptedServer({ status: 422, body: problem });
  const { posthorn, waits } = resources(server.baseUrl);
  const error = await failureOf(posthorn.emails.send(EMAIL));
  const { status, type, title, detail, errors, instance, retryAfterSeconds } = error;
  assert.deepEqual({ status, type, title, detail, errors, instance }, problem);
  assert.equal(retryAfterSeconds, null);
  assert.equal(
    error.message,
    'The request is not valid. from: must be an address (422 /errors/validation-failed, request req_7)',
  );
  assert.deepEqual(waits, []);
});

test('a time-out is retried like a broken connection', async () => {
  await using server = await scriptedServer('silence', ACCEPTED);
  // On a busy machine, later attempts may time out too, so allow many retries.
  const { posthorn } = resources(server.baseUrl, { timeoutMs: 50, maxRetries: 100 });
  assert.deepEqual(await posthorn.emails.send(EMAIL), QUEUED);
  assert.ok(server.seen.length >= 2);
});

test('the error after a final time-out says that there was no response', async () => {
  await using server = await scriptedServer('silence');
  const { posthorn } = resources(server.baseUrl, { timeoutMs: 30, maxRetries: 0 });
  const error = await failureOf(posthorn.emails.send(EMAIL));
  assert.equal(error.message, 'No response within 30 ms');
  assert.equal((error.cause as Error).name, 'TimeoutError');
});

test("an abort ends a call that waits for its response, and the call rejects with the signal's reason", async () => {
  await using server = await scriptedServer('silence');
  const controller = new AbortController();
  const { posthorn } = resources(server.baseUrl, {
    fetch: (url, init) => {
      queueMicrotask(() => controller.abort('enough'));
      return fetch(url, init);
    },
  });
  await assert.rejects(
    posthorn.emails.send(EMAIL, { signal: controller.signal }),
    (reason) => reason === 'enough',
  );
});

test('an abort ends a call that waits for its next attempt', async () => {
  await using server = await scriptedServer({ status: 503, headers: { 'retry-after': '60' } });
  const posthorn = new Posthorn({ apiKey: API_KEY, baseUrl: server.baseUrl });
  const controller = new AbortController();
  const call = posthorn.emails.send(EMAIL, { signal: controller.signal });
  // Wait until the client has read the response and is waiting to retry.
  while (server.seen.length === 0) await new Promise(setImmediate);
  for (let tick = 0; tick < 50; tick += 1) await new Promise(setImmediate);
  controller.abort('enough');
  await assert.rejects(call, (reason) => reason === 'enough');
  assert.equal(server.seen.length, 1);
});

test('a call with an aborted signal sends no request', async () => {
  await using server = await scriptedServer(ACCEPTED);
  const { posthorn } = resources(server.baseUrl);
  await assert.rejects(
    posthorn.emails.send(EMAIL, { signal: AbortSignal.abort('no') }),
    (reason) => reason === 'no',
  );
  assert.equal(server.seen.length, 0);
});

test('a delete that gets a 404 succeeds if the response of an earlier attempt was lost', async () => {
  await using server = await scriptedServer('reset', { status: 404 });
  const { call } = resources(server.baseUrl);
  await call({ method: 'DELETE', path: '/v1/domains/{id}', id: 'dom_1' });
  assert.equal(server.seen.length, 2);
});

test('a delete that gets a 404 fails if earlier attempts were rejected', async () => {
  await using server = await scriptedServer(BUSY, { status: 404 });
  const { call } = resources(server.baseUrl);
  const error = await failureOf(call({ method: 'DELETE', path: '/v1/domains/{id}', id: 'dom_1' }));
  assert.equal(error.status, 404);
});

test('a redirect is not followed, because it would turn a POST into a GET', async () => {
  await using target = await scriptedServer(ACCEPTED);
  await using server = await scriptedServer({ status: 301, headers: { location: target.baseUrl } });
  const error = await failureOf(resources(server.baseUrl).posthorn.emails.send(EMAIL));
  assert.equal(error.status, 301);
  assert.equal(target.seen.length, 0);
});

test('a response with a web page instead of JSON is an error', async () => {
  await using server = await scriptedServer({ status: 200, body: '<html>Welcome</html>' });
  const error = await failureOf(resources(server.baseUrl).posthorn.emails.list());
  assert.equal(error.type, null);
  assert.match(error.message, /Check baseUrl/);
});

test('every id is encoded as one path segment, and an id that cannot be a path segment is an error', async () => {
  await using server = await scriptedServer({ status: 200, body: {} });
  const { posthorn } = resources(server.baseUrl);
  await posthorn.emails.get('../domains?x=$&#');
  assert.equal(server.seen[0]?.url, '/v1/emails/..%2Fdomains%3Fx%3D%24%26%23');
  for (const id of ['', '.', '..']) await assert.rejects(posthorn.emails.get(id), TypeError);
  assert.equal(server.seen.length, 1);
});

test('iterate starts at the given cursor, and fetches each page only when it is needed', async () => {
  const page = (next_cursor: string | null, ...ids: string[]): Scripted => ({
    status: 200,
    body: { data: ids.map((id) => ({ id })), next_cursor },
  });
  await using server = await scriptedServer(page('c2', 'a', 'b'), page('c3'), page(null, 'c'));
  const { posthorn } = resources(server.baseUrl);
  const ids: string[] = [];
  for await (const { id } of posthorn.emails.iterate({ status: 'bounced', cursor: 'c1' })) {
    if (id === 'b') assert.equal(server.seen.length, 1);
    ids.push(id);
  }
  assert.deepEqual(ids, ['a', 'b', 'c']);
  assert.deepEqual(
    server.seen.map(({ url }) => url),
    ['c1', 'c2', 'c3'].map((cursor) => `/v1/emails?status=bounced&cursor=${cursor}`),
  );
});
