import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { FULL_ACCESS, OTHER_PROJECT, startTestApi, type TestApi } from './api.fixture.ts';
import { startDashboard } from './dashboard/dashboard.fixture.ts';
import { csrfTokenOf } from './browser/csrf.ts';
import { mailCookie, startMailClient } from './mail/mail-client.fixture.ts';

interface Received {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/** Sends a request without decoding the response, as `fetch` would. */
async function receive(url: string, headers: Record<string, string>, method = 'GET'): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>();
  request(url, { method, headers }, (response) => {
    const { statusCode: status, headers } = response;
    buffer(response).then((bytes) => resolve({ status, headers, bytes }), reject);
  })
    .on('error', reject)
    .end();
  return promise;
}

const GZIP = { 'accept-encoding': 'gzip, deflate, br' };
const bearer = (token = FULL_ACCESS) => ({ authorization: `Bearer ${token}` });
const list = (api: TestApi, headers: Record<string, string>, method?: string) =>
  receive(`${api.baseUrl}/v1/emails?limit=200`, { ...bearer(), ...headers }, method);

async function sendEmails(api: TestApi, count: number): Promise<void> {
  const email = { from: 'a@x.test', to: ['b@y.test'], subject: 'Grüße', text: 'hello' };
  for (let n = 0; n < count; n++) await api.services.acceptEmail({ projectId: 'one' }, email, null);
}

suite('a JSON response', () => {
  test('is compressed for a client that accepts gzip, and is the same after decoding', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 200);
    const [plain, compressed] = [await list(api, {}), await list(api, GZIP)];
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(compressed.headers['content-encoding'], 'gzip');
    assert.equal(compressed.headers['content-type'], plain.headers['content-type']);
    assert.equal(Number(compressed.headers['content-length']), compressed.bytes.length);
    assert.ok(compressed.bytes.length < plain.bytes.length / 3);
    assert.equal(gunzipSync(compressed.bytes).toString(), plain.bytes.toString());
    assert.deepEqual([plain.headers.vary, compressed.headers.vary], ['accept-encoding', 'accept-encoding']);
  });

  test('has a random length after compression, so that its length does not reveal its content', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 20);
    const responses = await Promise.all(Array.from({ length: 20 }, () => list(api, GZIP)));
    assert.equal(new Set(responses.map(({ bytes }) => gunzipSync(bytes).toString())).size, 1);
    assert.ok(new Set(responses.map(({ bytes }) => bytes.length)).size > 1);
  });

  test('is not compressed for a client that does not accept gzip', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 20);
    for (const accepted of ['identity', 'br', 'gzip;q=0', '']) {
      const { headers, bytes } = await list(api, { 'accept-encoding': accepted });
      assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, 'accept-encoding'], accepted);
      assert.equal((JSON.parse(bytes.toString()) as { data: unknown[] }).data.length, 20);
    }
  });

  test('to a request from a page of another site is not compressed', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 20);
    for (const [site, coding] of [
      ['cross-site', undefined],
      ['same-site', undefined],
      ['same-origin', 'gzip'],
      ['none', 'gzip'],
    ] as const) {
      const { headers } = await list(api, { ...GZIP, 'sec-fetch-site': site });
      assert.equal(headers['content-encoding'], coding, site);
    }
  });

  test('of less than 1 KB is not compressed', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 1);
    const { headers, bytes } = await list(api, GZIP);
    assert.deepEqual([headers['content-encoding'], headers.vary], [undefined, 'accept-encoding']);
    assert.ok(bytes.length < 1024);
  });

  test('to HEAD has the headers of the response to GET', async () => {
    await using api = await startTestApi();
    await sendEmails(api, 20);
    const [get, head] = [await list(api, GZIP), await list(api, GZIP, 'HEAD')];
    for (const name of ['content-encoding', 'content-type', 'vary'])
      assert.equal(head.headers[name], get.headers[name], name);
    assert.equal(head.bytes.length, 0);
  });

  test('with an error is not compressed', async () => {
    await using api = await startTestApi();
    const unknown = Array.from({ length: 50 }, (_, n) => `unknown-${n}=1`);
    const url = `${api.baseUrl}/v1/emails?${unknown.join('&')}`;
    const { status, headers, bytes } = await receive(url, { ...bearer(), ...GZIP });
    assert.deepEqual([status, headers['content-encoding']], [422, undefined]);
    assert.ok(bytes.length > 1024, `${bytes.length} bytes`);
  });

  test('of more than 64 KB is compressed, or sent uncompressed while another large response is compressed', async () => {
    const text = 'large '.repeat(500_000);
    const { promise: found, resolve: find } = Promise.withResolvers<void>();
    let waiting = 0;
    await using api = await startTestApi(
      {},
      {
        async listEmails(projectId) {
          if (projectId === 'two') return { data: [], next_cursor: 'small '.repeat(1_000) };
          waiting += 1;
          if (waiting === 2) find();
          await found;
          return { data: [], next_cursor: text };
        },
      },
    );
    const responses = await Promise.all([list(api, GZIP), list(api, GZIP)]);
    const sizes = responses.map(({ headers, bytes }) => {
      const isCompressed = headers['content-encoding'] === 'gzip';
      const body = (isCompressed ? gunzipSync(bytes) : bytes).toString();
      assert.equal((JSON.parse(body) as { next_cursor: string }).next_cursor, text);
      return isCompressed ? 'compressed' : 'plain';
    });
    assert.deepEqual(sizes.sort(), ['compressed', 'plain']);
    const url = `${api.baseUrl}/v1/emails`;
    const next = await Promise.all([list(api, GZIP), receive(url, { ...bearer(OTHER_PROJECT), ...GZIP })]);
    assert.deepEqual(
      next.map(({ headers }) => headers['content-encoding']),
      ['gzip', 'gzip'],
    );
  });
});

test('the dashboard compresses lists, but not the session with its CSRF token', async () => {
  await using dashboard = await startDashboard();
  const { client } = dashboard.project;
  for (let n = 0; n < 5; n++) {
    await dashboard.newProject(`project ${n}`, 'paid');
    const sent = { from: 'a@hosted.example', to: ['b@y.test'], subject: `email ${n}`, text: 'hello' };
    assert.equal((await client.post('/v1/emails', sent)).status, 202);
  }
  const { token } = dashboard.as('developer');
  const get = (path: string) =>
    receive(`${dashboard.baseUrl}/dashboard/api${path}`, { cookie: `posthorn_session=${token}`, ...GZIP });
  const emails = await get(`/projects/${dashboard.projectId}/emails`);
  assert.deepEqual([emails.status, emails.headers['content-encoding']], [200, 'gzip']);
  const { status, headers, bytes } = await get('/session');
  assert.deepEqual([status, headers['content-encoding'], headers.vary], [200, undefined, undefined]);
  assert.ok(bytes.length > 1024);
  assert.ok(bytes.toString().includes(csrfTokenOf(token)));
});

test('the web client compresses lists', async () => {
  await using mail = await startMailClient();
  const ann = await mail.newOwner('ann');
  for (let n = 0; n < 5; n++)
    await mail.deliver(ann, 'inbox', `From: b@y.test\r\nSubject: message ${n}\r\n\r\nhello\r\n`);
  const { body } = await ann.get<{ data: { id: string; role: string }[] }>('/folders');
  const inbox = body.data.find(({ role }) => role === 'inbox')?.id;
  const url = `${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/conversations?folder=${inbox}`;
  const { status, headers, bytes } = await receive(url, { cookie: mailCookie(ann), ...GZIP });
  assert.deepEqual([status, headers['content-encoding']], [200, 'gzip']);
  assert.equal((JSON.parse(gunzipSync(bytes).toString()) as { data: unknown[] }).data.length, 5);
});
