import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { apiClient } from '../../../test/support/api-client.ts';
import { SendEmail } from '../../contract/emails.ts';
import { AppError } from '../../model/app-error.ts';
import { FULL_ACCESS, OTHER_PROJECT, restricted, startTestApi, type TestApi } from './api.fixture.ts';
import { compileCheck } from './validation.ts';

let api: TestApi;
before(async () => {
  api = await startTestApi();
});
after(() => api[Symbol.asyncDispose]());

const valid = { from: 'Acme <a@x.test>', to: ['b@y.test'], subject: 'Hello', text: 'hello' };
const client = () => api.client(FULL_ACCESS);
const problemOf = ({ status, body }: { status: number; body: object }) => [
  status,
  (body as { type: string }).type,
];

test('a send returns 202 and reaches the core unchanged', async () => {
  const send = { ...valid, html: '<p>é 😀</p>', headers: { 'X-A': 'b' }, tags: ['t'] };
  const { status, body, headers } = await client().post<{ id: string; created_at: string }>(
    '/v1/emails',
    send,
  );
  assert.equal(status, 202);
  assert.deepEqual(api.services.accepted.at(-1), { projectId: 'one', send, idempotencyKey: null });
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(headers.get('x-content-type-options'), 'nosniff');
  assert.equal(headers.has('idempotent-replayed'), false);
  const fetched = await client().get<{ created_at: string }>(`/v1/emails/${body.id}`);
  assert.equal(fetched.body.created_at, body.created_at);
});

test('a replay has the same body byte for byte and is marked with Idempotent-Replayed', async () => {
  const headers = { 'Idempotency-Key': 'the key, with a comma' };
  const first = await client().post('/v1/emails', valid, { headers });
  const second = await client().post('/v1/emails', valid, { headers });
  assert.equal(second.text, first.text);
  assert.equal(second.headers.get('idempotent-replayed'), 'true');
  assert.equal(api.services.accepted.at(-1)?.idempotencyKey, 'the key, with a comma');
});

for (const [what, key] of [
  ['an empty key', ''],
  ['201 characters', 'k'.repeat(201)],
  ['a tab', 'a\tb'],
  ['characters outside ASCII', 'caf\u00e9'],
] as const) {
  test(`an Idempotency-Key with ${what} returns 422`, async () => {
    const answer = await client().post<{ errors: object }>('/v1/emails', valid, {
      headers: { 'Idempotency-Key': key },
    });
    assert.deepEqual(problemOf(answer), [422, '/errors/validation-failed']);
    assert.deepEqual(Object.keys(answer.body.errors), ['Idempotency-Key']);
  });
}

test('an Idempotency-Key of 200 characters is accepted', async () => {
  const headers = { 'Idempotency-Key': '~'.repeat(200) };
  assert.equal((await client().post('/v1/emails', valid, { headers })).status, 202);
});

test('the API is also served below /api', async () => {
  const { status, body } = await client().post<{ id: string }>('/api/v1/emails', valid);
  assert.equal(status, 202);
  assert.equal((await client().get(`/api/v1/emails/${body.id}`)).status, 200);
  assert.equal((await client().get('/api/v1/emails')).status, 200);
});

test('a list has pages of 50 emails, or of the number in the parameter limit', async () => {
  assert.equal((await client().get('/v1/emails')).status, 200);
  assert.deepEqual(api.services.queries.at(-1), { limit: 50 });
  await client().get('/v1/emails?limit=2&status=queued&tag=a%26b');
  assert.deepEqual(api.services.queries.at(-1), { limit: 2, status: 'queued', tag: 'a&b' });
});

test('an unknown query parameter returns 422, even if the id is also unknown', async () => {
  for (const path of ['/v1/emails?page=2', '/v1/emails/unknown?limit=5']) {
    assert.equal((await client().get(path)).status, 422);
  }
  assert.equal((await client().post('/v1/emails?dry_run=1', valid)).status, 422);
});

test('an unknown or malformed id, or an id of another project, returns 404 and is not echoed', async () => {
  const { body } = await client().post<{ id: string }>('/v1/emails', valid);
  const malformed = [
    body.id.toLowerCase(),
    body.id.replace('em_', 'wh_'),
    `${body.id}0`,
    'em_',
    '%00',
    '..%2f',
    'x'.repeat(5_000),
    '__proto__',
    '',
  ];
  const unknown = `em_${'0'.repeat(26)}`;
  for (const id of [...malformed, unknown]) {
    assert.deepEqual(problemOf(await client().get(`/v1/emails/${id}`)), [404, '/errors/not-found'], id);
  }
  const other = await api.client(OTHER_PROJECT).get<Record<string, unknown>>(`/v1/emails/${body.id}`);
  const missing = await api.client(OTHER_PROJECT).get<Record<string, unknown>>(`/v1/emails/${unknown}`);
  assert.deepEqual({ ...other.body, instance: '' }, { ...missing.body, instance: '' });
});

test('HEAD returns the same response as GET without the body', async () => {
  assert.equal((await client().request('HEAD', '/v1/emails')).status, 200);
  assert.equal((await client().request('HEAD', '/v1/emails/unknown')).status, 404);
});

test('an unknown path returns 404 with any key and any body', async () => {
  for (const path of [
    '/nothing',
    '/v1',
    '/v1/',
    '/v1/email',
    '/v2/emails',
    '/v1/emails/',
    '/v1//emails',
    '/api/healthz',
    '/V1/emails',
  ]) {
    assert.equal((await client().get(path)).status, 404, path);
  }
  const answer = await apiClient(api.baseUrl).post('/v1/nothing', undefined, { rawBody: '{' });
  assert.deepEqual(problemOf(answer), [404, '/errors/not-found']);
});

for (const [method, path, allow] of [
  ['DELETE', '/v1/emails', 'GET, HEAD, POST'],
  ['PUT', '/api/v1/emails', 'GET, HEAD, POST'],
  ['OPTIONS', '/v1/emails?x=1', 'GET, HEAD, POST'],
  ['POST', '/v1/emails/some', 'GET, HEAD'],
  ['PROPFIND', '/v1/emails', 'GET, HEAD, POST'],
  ['POST', '/healthz', 'GET, HEAD'],
] as const) {
  test(`${method} ${path} returns 405 with the allowed methods`, async () => {
    const answer = await client().request(method, path);
    assert.deepEqual(problemOf(answer), [405, '/errors/method-not-allowed']);
    assert.equal(answer.headers.get('allow'), allow);
  });
}

for (const [what, type, rawBody, expected] of [
  ['truncated JSON', 'application/json', '{"from":', [400, '/errors/malformed-json']],
  [
    'bytes that are not UTF-8',
    'application/json',
    Buffer.from([0x22, 0xff, 0x22]),
    [400, '/errors/malformed-json'],
  ],
  ['deeply nested JSON', 'application/json', '['.repeat(3_000_000), [400, '/errors/malformed-json']],
  ['text', 'text/plain', '{}', [400, '/errors/unsupported-media-type']],
  ['a form', 'application/x-www-form-urlencoded', 'from=a', [400, '/errors/unsupported-media-type']],
  ['another JSON media type', 'application/json-patch+json', '[]', [400, '/errors/unsupported-media-type']],
  ['an invalid media type', 'json', '{}', [400, '/errors/unsupported-media-type']],
  ['an empty media type', '', '{}', [400, '/errors/unsupported-media-type']],
  ['an array', 'application/json', '[]', [422, '/errors/validation-failed']],
  ['null', 'application/json', 'null', [422, '/errors/validation-failed']],
  ['an empty JSON body', 'application/json', '', [422, '/errors/validation-failed']],
  ['an empty text body', 'text/plain', '', [422, '/errors/validation-failed']],
  ['an empty body of an invalid type', 'nonsense', '', [422, '/errors/validation-failed']],
  [
    'an escaped NUL',
    'application/json',
    JSON.stringify({ ...valid, subject: '\0' }),
    [422, '/errors/validation-failed'],
  ],
  [
    'a lone surrogate',
    'application/json',
    JSON.stringify({ ...valid, to: ['\ud800@x.test'] }),
    [422, '/errors/validation-failed'],
  ],
  ['__proto__', 'application/json', '{"__proto__":{"from":"a"}}', [422, '/errors/validation-failed']],
  [
    'a body that is too large',
    'application/json',
    JSON.stringify({ html: 'a'.repeat(6 * 1024 * 1024) }),
    [413, '/errors/payload-too-large'],
  ],
  [
    'a body of another type that is too large',
    'text/plain',
    'a'.repeat(6 * 1024 * 1024 + 1),
    [413, '/errors/payload-too-large'],
  ],
] as const) {
  test(`POST /v1/emails with ${what} returns ${expected[1]} and accepts no email`, async () => {
    const earlier = api.services.accepted.length;
    const answer = await client().post('/v1/emails', undefined, {
      rawBody,
      headers: { 'content-type': type },
    });
    assert.deepEqual(problemOf(answer), expected);
    assert.equal(api.services.accepted.length, earlier);
  });
}

for (const type of [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;',
  'application/json; x="a;b"',
  'application/json ; broken',
]) {
  test(`the media type ${type} is accepted as JSON`, async () => {
    assert.equal(
      (await client().post('/v1/emails', valid, { headers: { 'content-type': type } })).status,
      202,
    );
  });
}

test('a body can contain html and text at their maximum sizes', async () => {
  const content = 'é'.repeat(1024 * 1024);
  assert.equal((await client().post('/v1/emails', { ...valid, html: content, text: content })).status, 202);
});

test('a send without a body returns 422 with the required fields', async () => {
  const { status, body } = await client().request<{ errors: object }>('POST', '/v1/emails');
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(body.errors).sort(), ['from', 'html', 'text', 'to']);
});

test('a header named __proto__ reaches the core as a header', async () => {
  const rawBody = JSON.stringify({ ...valid, headers: {} }).replace(
    '"headers":{}',
    '"headers":{"__proto__":"x"}',
  );
  assert.equal((await client().post('/v1/emails', undefined, { rawBody })).status, 202);
  assert.deepEqual(Object.entries(api.services.accepted.at(-1)?.send.headers ?? {}), [['__proto__', 'x']]);
});

test('the API key is checked first, then the scope, then the JSON syntax, then the fields', async () => {
  const rawBody = '{';
  const none = await apiClient(api.baseUrl).post('/v1/emails?x', undefined, { rawBody });
  assert.equal(none.status, 401);
  const reader = await api.client(restricted('emails:read')).post('/v1/emails?x', undefined, { rawBody });
  assert.equal(reader.status, 403);
  assert.equal((await client().post('/v1/emails?x', undefined, { rawBody })).status, 400);
  assert.equal((await client().post('/v1/emails?x', {})).status, 422);
});

const unavailable = Object.assign(new Error('connect ECONNREFUSED /secret/socket'), { code: 'ECONNREFUSED' });
for (const [what, error, expected] of [
  [
    'an AppError',
    new AppError('domain-not-verified', 'No.', { errors: { from: 'no' } }),
    [422, '/errors/domain-not-verified'],
  ],
  [
    'an exhausted quota',
    new AppError('quota-exceeded', 'No.', { retryAfterSeconds: 0.2 }),
    [429, '/errors/quota-exceeded'],
  ],
  ['an unavailable database', unavailable, [503, '/errors/unavailable']],
  ['a bug', new TypeError('secret text'), [500, '/errors/internal']],
  ['a thrown string', 'secret text', [500, '/errors/internal']],
] as const) {
  test(`${what} in the core returns ${expected[1]}`, async () => {
    await using failing = await startTestApi(
      {},
      {
        acceptEmail: async () => {
          throw error;
        },
      },
    );
    const answer = await failing.client(FULL_ACCESS).post<{ instance: string }>('/v1/emails', valid);
    assert.deepEqual(problemOf(answer), expected);
    assert.doesNotMatch(answer.text, /secret/);
    const isLogged = failing.logged.some((line) => line.includes(answer.body.instance));
    assert.equal(isLogged, expected[0] === 500);
  });
}

test('an unavailable database during key lookup returns 503, not 401', async () => {
  await using failing = await startTestApi({}, { authenticate: () => Promise.reject(unavailable) });
  assert.equal((await failing.client(FULL_ACCESS).get('/v1/emails')).status, 503);
});

test('healthz returns 200, and readyz returns 503 if the core is not ready', async () => {
  const anyone = apiClient(api.baseUrl);
  assert.deepEqual((await anyone.get('/healthz')).body, { status: 'ok' });
  assert.deepEqual((await anyone.get('/readyz')).body, { status: 'ready' });
  api.services.notReady = 'The database is read-only.';
  const answer = await anyone.get('/readyz');
  api.services.notReady = null;
  assert.deepEqual(problemOf(answer), [503, '/errors/unavailable']);
  assert.equal(answer.body['detail'], 'The database is read-only.');
  assert.equal(answer.headers.get('retry-after'), '5');
});

test('no JSON body causes a 5xx, and only valid emails reach the core', async () => {
  const isValid = compileCheck(SendEmail);
  const text = fc.oneof(fc.string(), fc.constantFrom('a@x.test', '\0', '\ud800', '\r\n', ''));
  const list = fc.array(text, { maxLength: 3 });
  const near = fc.record(
    {
      from: text,
      to: list,
      cc: list,
      subject: text,
      html: text,
      text,
      headers: fc.dictionary(text, text, { maxKeys: 3 }),
      tags: list,
    },
    { requiredKeys: ['from', 'to'] },
  );
  const odd = fc.dictionary(
    fc.constantFrom('from', 'to', 'text', 'headers', '__proto__', 'attachments'),
    fc.jsonValue(),
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(near, odd, fc.jsonValue()), async (body) => {
      const earlier = api.services.accepted.length;
      const rawBody = JSON.stringify(body);
      const { status } = await client().post('/v1/emails', undefined, { rawBody });
      const wasAccepted = api.services.accepted.length > earlier;
      assert.equal(wasAccepted, status === 202);
      assert.ok(status === 202 || status === 422, `${status}`);
      if (wasAccepted) assert.equal(isValid(JSON.parse(rawBody)), null);
    }),
    { numRuns: 150 },
  );
});
