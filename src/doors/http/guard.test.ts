import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FULL_ACCESS, OTHER_PROJECT, restricted, startTestApi } from './api.fixture.ts';

const valid = { from: 'a@x.test', to: ['b@y.test'], text: 'hello' };

test('invalid credentials return 401 with WWW-Authenticate', async () => {
  await using api = await startTestApi();
  for (const [authorization, slug] of [
    [undefined, 'missing-api-key'],
    ['', 'missing-api-key'],
    ['Basic dXNlcjpwYXNz', 'missing-api-key'],
    [FULL_ACCESS, 'missing-api-key'],
    ['Bearer', 'invalid-api-key'],
    ['Bearer ', 'invalid-api-key'],
    ['Bearer svc_live_wrong', 'invalid-api-key'],
    ['Bearer full', 'invalid-api-key'],
    [`Bearer ${FULL_ACCESS} x`, 'invalid-api-key'],
    [`Bearer svc_live_${'x'.repeat(5_000)}`, 'invalid-api-key'],
  ] as const) {
    const headers = authorization === undefined ? {} : { authorization };
    const { status, body } = await api.client().get('/v1/emails', { headers });
    assert.deepEqual([status, body['type']], [401, `/errors/${slug}`], authorization);
  }
});

test('the authentication scheme is case-insensitive', async () => {
  await using api = await startTestApi();
  for (const authorization of [`bearer ${FULL_ACCESS}`, `BEARER   ${FULL_ACCESS}`]) {
    assert.equal((await api.client().get('/v1/emails', { headers: { authorization } })).status, 200);
  }
});

test('a restricted key is limited to its scopes, and the error names the missing scope', async () => {
  await using api = await startTestApi();
  const sender = api.client(restricted('emails:send'));
  assert.equal((await sender.post('/v1/emails', valid)).status, 202);
  const refused = await sender.get('/v1/emails');
  assert.equal(refused.status, 403);
  assert.equal(refused.body['required_scope'], 'emails:read');
  assert.match(String(refused.body['detail']), /emails:read/);
  assert.equal((await api.client(restricted('emails:read')).post('/v1/emails', valid)).status, 403);
  assert.equal((await api.client(restricted()).get('/v1/emails')).status, 403);
});

test("a key can send ten seconds' worth of requests at once, which headers count down, and then gets 429 for a while", async (t) => {
  t.mock.method(performance, 'now', () => 0);
  await using api = await startTestApi({ rateLimit: 1 });
  const client = api.client(FULL_ACCESS);
  for (let left = 9; left >= 0; left--) {
    // Every response to the key counts down, whatever the status.
    const { headers, status } =
      left % 2 === 0 ? await client.get('/v1/emails') : await client.post('/v1/emails', {});
    assert.notEqual(status, 429);
    assert.equal(headers.get('ratelimit-limit'), '10');
    assert.equal(headers.get('ratelimit-remaining'), String(left));
  }
  const refused = await client.get('/v1/emails');
  assert.deepEqual([refused.status, refused.body['type']], [429, '/errors/rate-limited']);
  assert.equal(refused.headers.get('retry-after'), '1');
  assert.equal(refused.headers.get('ratelimit-remaining'), '0');
  assert.equal(refused.headers.get('ratelimit-reset'), '10');
  assert.equal((await api.client(OTHER_PROJECT).get('/v1/emails')).status, 200);
});

test('without rate limits, responses have no rate limit headers and are never 429', async () => {
  await using api = await startTestApi({ rateLimit: 0 });
  for (let n = 0; n < 20; n++) {
    const { status, headers } = await api.client(FULL_ACCESS).get('/v1/emails');
    assert.deepEqual([status, headers.has('ratelimit-limit')], [200, false]);
  }
});

test('an address gets 429 after a thousand failed authentications, except for requests with a valid key', async () => {
  await using api = await startTestApi({ rateLimit: 100, trustedProxies: ['127.0.0.0/8', '::1'] });
  const guess = async (ip: string, authorization?: string) => {
    const headers: Record<string, string> = { 'x-forwarded-for': ip };
    if (authorization !== undefined) headers['authorization'] = authorization;
    const response = await fetch(`${api.baseUrl}/v1/emails`, { headers });
    await response.arrayBuffer();
    return response;
  };
  const started = performance.now();
  let failures = 0;
  let last: Response | undefined;
  while (last === undefined) {
    const batch = Array.from({ length: 50 }, (_, n) =>
      guess(`2001:db8::${n}`, n % 2 === 0 ? 'Bearer svc_live_no' : undefined),
    );
    const answers = await Promise.all(batch);
    failures += answers.filter(({ status }) => status === 401).length;
    last = answers.find(({ status }) => status === 429);
  }
  const refilled = ((performance.now() - started) / 60_000) * 1_000;
  assert.ok(failures >= 1_000 && failures <= 1_000 + refilled, `${failures} failed before the first 429`);
  assert.equal(last.headers.get('retry-after'), '1');
  assert.equal((await guess('2001:db8::1', `Bearer ${FULL_ACCESS}`)).status, 200);
  assert.equal((await guess('2001:db8:0:1::1')).status, 401);
});

test('X-Forwarded-For from an untrusted client is ignored', async (t) => {
  t.mock.method(performance, 'now', () => 0);
  await using api = await startTestApi({ rateLimit: 100, trustedProxies: ['192.0.2.1'] });
  const guess = async (n: number) => {
    const response = await fetch(`${api.baseUrl}/v1/emails`, {
      headers: { 'x-forwarded-for': `198.51.100.${n % 250}` },
    });
    await response.arrayBuffer();
    return response.status;
  };
  const statuses: number[] = [];
  for (let n = 0; n < 22; n++) {
    statuses.push(...(await Promise.all(Array.from({ length: 50 }, (_, m) => guess(n * 50 + m)))));
  }
  assert.ok(statuses.includes(429));
});
