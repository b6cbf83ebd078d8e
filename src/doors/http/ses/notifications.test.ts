import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { AppError } from '../../../model/app-error.ts';
import { startTestApi } from '../api.fixture.ts';

const PATH = '/ses/notifications';

function post(baseUrl: string, body: string | Uint8Array, contentType = 'text/plain; charset=UTF-8') {
  return fetch(baseUrl + PATH, { method: 'POST', headers: { 'content-type': contentType }, body });
}

async function problemOf(response: Response) {
  assert.equal(response.headers.get('content-type'), 'application/problem+json');
  const { type, detail } = (await response.json()) as { type: string; detail: string };
  return { status: response.status, type, detail };
}

describe('the path for SES notifications', () => {
  test('returns 404 if no topic is trusted', async () => {
    await using api = await startTestApi();
    const response = await post(api.baseUrl, '{}');
    assert.partialDeepStrictEqual(await problemOf(response), { status: 404, type: '/errors/not-found' });
  });

  test('accepts bodies of any media type, and returns 200 after the notification is handled', async () => {
    const received: string[] = [];
    const receiveSesNotification = async (body: Buffer) => {
      received.push(body.toString());
    };
    await using api = await startTestApi({}, { receiveSesNotification });
    for (const type of [
      'text/plain; charset=UTF-8',
      'application/json',
      'application/x-www-form-urlencoded',
    ]) {
      const response = await post(api.baseUrl, `{"a":"é"} ${type}`, type);
      assert.equal(response.status, 200);
      assert.equal(await response.text(), '');
      assert.equal(received.at(-1), `{"a":"é"} ${type}`);
    }
    assert.equal((await fetch(api.baseUrl + PATH, { method: 'POST' })).status, 200);
    assert.equal(received.at(-1), '');
  });

  test('does not respond before the notification is handled', async () => {
    const gate = Promise.withResolvers<void>();
    await using api = await startTestApi({}, { receiveSesNotification: () => gate.promise });
    let isAnswered = false;
    const response = post(api.baseUrl, '{}').then((got) => {
      isAnswered = true;
      return got;
    });
    assert.equal((await fetch(`${api.baseUrl}/healthz`)).status, 200);
    assert.equal(isAnswered, false);
    gate.resolve();
    assert.equal((await response).status, 200);
  });

  const errors: [error: Error, status: number, type: string][] = [
    [new AppError('bad-request', 'No.'), 400, '/errors/bad-request'],
    [new AppError('unavailable', 'Later.', { retryAfterSeconds: 1 }), 503, '/errors/unavailable'],
    [Object.assign(new Error('gone'), { code: 'ECONNREFUSED' }), 503, '/errors/unavailable'],
    [new Error('a bug'), 500, '/errors/internal'],
  ];
  for (const [error, status, type] of errors) {
    test(`returns ${status} for "${error.message}"`, async () => {
      const receiveSesNotification = () => Promise.reject(error);
      await using api = await startTestApi({}, { receiveSesNotification });
      assert.partialDeepStrictEqual(await problemOf(await post(api.baseUrl, '{}')), { status, type });
    });
  }

  test('accepts bodies of 256 KiB, and rejects larger bodies with 413', async () => {
    let calls = 0;
    const receiveSesNotification = async () => {
      calls += 1;
    };
    await using api = await startTestApi({}, { receiveSesNotification });
    assert.equal((await post(api.baseUrl, 'x'.repeat(256 * 1024))).status, 200);
    assert.deepEqual(await problemOf(await post(api.baseUrl, 'x'.repeat(256 * 1024 + 1))), {
      status: 413,
      type: '/errors/payload-too-large',
      detail: 'The body is larger than 256 KB.',
    });
    assert.equal(calls, 1);
  });

  test('is not in the OpenAPI document, and does not change how API bodies are read', async () => {
    await using api = await startTestApi({}, { receiveSesNotification: async () => {} });
    assert.doesNotMatch(await (await fetch(`${api.baseUrl}/openapi.yaml`)).text(), /\/ses\//);
    const { status, body } = await api.client('svc_live_full').request('POST', '/v1/emails', {
      rawBody: '{}',
      headers: { 'content-type': 'text/plain' },
    });
    assert.equal(status, 400);
    assert.equal(body['type'], '/errors/unsupported-media-type');
    assert.equal((await fetch(api.baseUrl + PATH)).status, 405);
  });
});
