// Runs in its own process: it overrides the amount of memory.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import { test } from 'node:test';
import type { EmailDetail } from '../../contract/emails.ts';
import { encodeId } from '../../model/ids.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { TestApi } from './api.fixture.ts';

const MIB = 1024 * 1024;
/** With this much memory, responses may use 48 MiB in total, 18 MiB per key and 24 MiB per address. */
os.totalmem = () => 1024 * MIB;
syncBuiltinESMExports();
const { FULL_ACCESS, OTHER_PROJECT, restricted, startTestApi } = await import('./api.fixture.ts');

const email = { from: 'a@x.test', to: ['b@y.test'], text: 'hello' };
const LINES = '\n'.repeat(2 * MIB - 4096);
/** A line break takes two bytes in JSON, so the response has almost 8 MiB: more than the system buffers for a client that does not read. */
const large = { ...email, html: LINES, text: LINES };
const [OF_KEY, OF_ADDRESS, OF_ALL] = [2, 3, 6];

/** The responses of the server, by port of the client. */
const answers = new Map<number | undefined, ServerResponse[]>();
subscribe('http.server.request.start', (message) => {
  const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
  const { remotePort } = request.socket;
  answers.set(remotePort, [...(answers.get(remotePort) ?? []), response]);
});

const tick = () => new Promise(setImmediate);
const proxied = (overrides = {}) => startTestApi({ trustedProxies: ['127.0.0.0/8', '::1'] }, overrides);

async function storeLarge(api: TestApi, projectId = 'one'): Promise<string> {
  const { emailId } = await api.services.acceptEmail({ projectId }, large, null);
  return `/v1/emails/${encodeId('em', emailId)}`;
}

/** Sends requests without reading the responses. */
async function ask(
  api: TestApi,
  path: string,
  { token = FULL_ACCESS, ip = '192.0.2.1', times = 1, encoding = 'identity' } = {},
) {
  const socket = connect(api.port, 'localhost');
  socket.on('error', () => {});
  await once(socket, 'connect');
  const port = socket.localPort;
  // The tests open thousands of connections, so the port may have had responses before.
  answers.delete(port);
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: ${ip}\r\nAccept-Encoding: ${encoding}\r\n\r\n`;
  socket.write(head.repeat(times));
  return {
    socket,
    async statuses(): Promise<number[]> {
      const sent = () => (answers.get(port) ?? []).filter(({ headersSent }) => headersSent);
      while (sent().length < times) await tick();
      return sent().map(({ statusCode }) => statusCode);
    },
  };
}

type UnreadRequest = Awaited<ReturnType<typeof ask>>;

/** Starts requests one by one, each after the status of the previous response has arrived. */
async function requestEach(count: number, start: (n: number) => Promise<UnreadRequest>) {
  const sockets: Socket[] = [];
  const refused: number[] = [];
  for (let n = 0; n < count; n++) {
    const asked = await start(n);
    const [status = 0] = await asked.statuses();
    if (status === 200) sockets.push(asked.socket);
    else {
      refused.push(status);
      asked.socket.destroy();
    }
  }
  return { sockets, held: sockets.length, refused };
}

function leave(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.destroy();
}

/** Whether `count` responses can be pending at once, which proves that earlier responses were released. */
async function canHold(api: TestApi, path: string, count: number): Promise<boolean> {
  const { sockets, held } = await requestEach(count, () => ask(api, path));
  leave(sockets);
  return held === count;
}

test('responses to one key may use only a share of the response bytes, and small requests are still served', async () => {
  await using api = await proxied();
  const [path, ofOther] = [await storeLarge(api), await storeLarge(api, 'two')];
  const { sockets, held, refused } = await requestEach(5, () => ask(api, path));
  assert.ok(held >= 1 && held <= OF_KEY, `${held} were pending`);
  assert.deepEqual([...new Set(refused)], [429]);
  const answer = await api.client(FULL_ACCESS).get(path, { headers: { 'accept-encoding': 'identity' } });
  assert.deepEqual([answer.status, answer.body['type']], [429, '/errors/rate-limited']);
  assert.match(String(answer.body['detail']), /API key/);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  for (const token of [FULL_ACCESS, OTHER_PROJECT]) {
    assert.equal((await api.client(token).post('/v1/emails', email)).status, 202);
    assert.equal((await api.client(token).get('/v1/emails')).status, 200);
  }
  assert.equal((await api.client(OTHER_PROJECT).get(ofOther)).status, 200);
  leave(sockets);
  assert.ok(await eventually(() => canHold(api, path, held), 60_000));
});

test('responses to one address may use only a share of the response bytes, with any number of keys', async () => {
  await using api = await proxied();
  const path = await storeLarge(api);
  const token = (n: number) => `${restricted('emails:read')},${n}`;
  const { sockets, held, refused } = await requestEach(6, (n) => ask(api, path, { token: token(n) }));
  assert.ok(held >= 1 && held <= OF_ADDRESS, `${held} were pending`);
  assert.deepEqual([...new Set(refused)], [429]);
  const elsewhere = await requestEach(1, () => ask(api, path, { ip: '192.0.2.2' }));
  assert.equal(elsewhere.held, 1);
  leave([...sockets, ...elsewhere.sockets]);
});

test('responses above the limit of the process are rejected with 503, whatever their keys and addresses', async () => {
  await using api = await proxied();
  const path = await storeLarge(api);
  const { sockets, held, refused } = await requestEach(12, (n) =>
    ask(api, path, { token: `${restricted('emails:read')},${n}`, ip: `192.0.2.${n}` }),
  );
  assert.ok(held >= 1 && held <= OF_ALL, `${held} were pending`);
  assert.deepEqual([...new Set(refused)], [503]);
  assert.equal((await api.client(FULL_ACCESS).get('/v1/emails')).status, 200);
  leave(sockets);
});

test('pipelined responses behind an unread response count against the limit, and are released when the connection ends', async () => {
  await using api = await proxied();
  const path = await storeLarge(api);
  const { held, sockets } = await requestEach(5, () => ask(api, path));
  leave(sockets);
  assert.ok(await eventually(() => canHold(api, path, held), 60_000));
  const piped = await ask(api, path, { times: held + 5 });
  const statuses = await eventually(async () => {
    const all = answers.get(piped.socket.localPort) ?? [];
    return all.length === held + 5 && all.filter(({ statusCode }) => statusCode === 429).length === 5;
  }, 60_000);
  assert.ok(statuses);
  leave([piped.socket]);
  assert.ok(await eventually(() => canHold(api, path, held), 60_000));
});

test('a response to a client that has already disconnected does not count against the limit', async () => {
  const { promise: found, resolve: find } = Promise.withResolvers<void>();
  const stored: { email: EmailDetail | null } = { email: null };
  let waiting = 0;
  await using api = await proxied({
    getEmail: async () => {
      waiting += 1;
      await found;
      return stored.email;
    },
  });
  const path = await storeLarge(api);
  stored.email = { ...(await detailOf(path)), html: large.html, text: large.text };
  const asked: UnreadRequest[] = [];
  for (let n = 0; n < 10; n++) asked.push(await ask(api, path));
  assert.ok(await eventually(() => waiting === 10, 60_000));
  const gone = asked.map(({ socket }) => answers.get(socket.localPort)?.[0]);
  leave(asked.map(({ socket }) => socket));
  assert.ok(await eventually(() => gone.every((response) => response?.destroyed === true), 60_000));
  find();
  assert.ok(await eventually(() => gone.every((response) => response?.headersSent === true), 60_000));
  // Check only once, without retrying: the bytes must be released together with the response.
  assert.ok(await canHold(api, path, OF_KEY));
});

async function detailOf(path: string): Promise<EmailDetail> {
  await using api = await startTestApi();
  const { body } = await api.client(FULL_ACCESS).get<EmailDetail>(await storeLarge(api));
  return { ...body, id: path.split('/').at(-1) ?? '' };
}

test('a response larger than the share of its key is sent if the key has no other unread response', async () => {
  const subject = 'x'.repeat(30 * MIB);
  await using api = await proxied({
    listEmails: async () => ({ data: [], next_cursor: subject }),
  });
  for (let n = 0; n < 3; n++) {
    const { status, body } = await api.client(FULL_ACCESS).get('/v1/emails');
    assert.equal(status, 200);
    assert.equal(String(body['next_cursor']).length, subject.length);
  }
  const { sockets, held, refused } = await requestEach(3, () => ask(api, '/v1/emails'));
  assert.deepEqual([held, refused], [1, [429, 429]]);
  leave(sockets);
});

test('a compressed response counts with its compressed bytes', async () => {
  await using api = await proxied();
  const path = await storeLarge(api);
  const { sockets, held } = await requestEach(10, () => ask(api, path, { encoding: 'gzip' }));
  leave(sockets);
  assert.equal(held, 10);
});

test('a response that exceeds the limit after compression is replaced by a problem without compression', async () => {
  const random = randomBytes(12 * MIB).toString('base64url');
  await using api = await proxied({ listEmails: async () => ({ data: [], next_cursor: random }) });
  const { sockets, held, refused } = await requestEach(3, () => ask(api, '/v1/emails', { encoding: 'gzip' }));
  assert.deepEqual([held, refused], [1, [429, 429]]);
  const { status, headers, body } = await api
    .client(FULL_ACCESS)
    .get('/v1/emails', { headers: { 'x-forwarded-for': '192.0.2.1' } });
  assert.deepEqual([status, body['type']], [429, '/errors/rate-limited']);
  assert.equal(headers.get('content-encoding'), null);
  leave(sockets);
});
