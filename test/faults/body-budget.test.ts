import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { eventually } from '../support/eventually.ts';
import type { TestApi } from '../../src/doors/http/api.fixture.ts';

const MIB = 1024 * 1024;
/** On a machine with 1 GiB of memory, the budget is 64 MiB for all bodies, 24 MiB per API key and 32 MiB per client address. */
os.totalmem = () => 1024 * MIB;
syncBuiltinESMExports();
const { FULL_ACCESS, OTHER_PROJECT, restricted, startTestApi } = await import(
  '../../src/doors/http/api.fixture.ts'
);

const email = { from: 'a@x.test', to: ['b@y.test'], text: 'hello' };
const UNFINISHED = Buffer.alloc(6 * MIB - 1, 0x20);
/** The request and response objects of the server, by the client's port. */
const arrived = new Map<number | undefined, { request: IncomingMessage; response: ServerResponse }>();
subscribe('http.server.request.start', (message) => {
  const one = message as { request: IncomingMessage; response: ServerResponse };
  arrived.set(one.request.socket.remotePort, one);
});

const nextTurn = () => new Promise(setImmediate);

/** Sends a request body except for its last byte. */
function upload(api: TestApi, token: string, forwardedFor = '192.0.2.1') {
  const socket = connect(api.port, 'localhost');
  socket.on('error', () => {});
  const head =
    `POST /v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nX-Forwarded-For: ${forwardedFor}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${UNFINISHED.length + 1}\r\n\r\n`;
  socket.write(head);
  socket.write(UNFINISHED);
  const response = () => arrived.get(socket.localPort)?.response;
  return {
    socket,
    /** The status of the response. 'held' if the server has read the bytes but has not responded yet. */
    async state(): Promise<number | 'held'> {
      const bytes = head.length + UNFINISHED.length;
      while ((arrived.get(socket.localPort)?.request.socket.bytesRead ?? 0) < bytes) await nextTurn();
      await nextTurn();
      return response()?.headersSent === true ? (response()?.statusCode ?? 0) : 'held';
    },
    async finish(): Promise<number> {
      socket.write(' ');
      await once(socket, 'data');
      return response()?.statusCode ?? 0;
    },
  };
}

type Upload = ReturnType<typeof upload>;

const proxied = () => startTestApi({ trustedProxies: ['127.0.0.0/8', '::1'] });

/** Begins uploads one after the other, so that each rejection is caused by the uploads before it. */
async function uploadEach(
  count: number,
  start: () => Upload,
): Promise<{ uploads: Upload[]; held: number; rejected: number[] }> {
  const uploads: Upload[] = [];
  const rejected: number[] = [];
  for (let n = 0; n < count; n++) {
    const one = start();
    const state = await one.state();
    if (state === 'held') uploads.push(one);
    else {
      rejected.push(state);
      one.socket.destroy();
    }
  }
  return { uploads, held: uploads.length, rejected };
}

function close(uploads: readonly { socket: Socket }[]): void {
  for (const { socket } of uploads) socket.destroy();
}

test('uploads beyond the share of one API key get 429, while small requests of all keys are served', async () => {
  await using api = await proxied();
  const { uploads, held, rejected } = await uploadEach(6, () => upload(api, FULL_ACCESS));
  assert.ok(held >= 1 && held <= 3, `${held} were held`);
  assert.deepEqual([...new Set(rejected)], [429]);
  const large = { ...email, text: 'x'.repeat(5 * MIB) };
  const answer = await api.client(FULL_ACCESS).post('/v1/emails', large);
  assert.deepEqual([answer.status, answer.body['type']], [429, '/errors/rate-limited']);
  assert.match(String(answer.body['detail']), /API key/);
  assert.ok(Number(answer.headers.get('retry-after')) >= 1);
  for (const token of [FULL_ACCESS, OTHER_PROJECT])
    assert.equal((await api.client(token).post('/v1/emails', email)).status, 202);
  assert.equal(
    (await api.client(OTHER_PROJECT).post('/v1/emails', { ...email, text: 'x'.repeat(MIB) })).status,
    202,
  );
  // The uploads that were not rejected can still finish.
  for (const one of uploads) assert.equal(await one.finish(), 400);
  const again = await uploadEach(1, () => upload(api, FULL_ACCESS));
  assert.equal(again.held, 1);
  close([...uploads, ...again.uploads]);
});

test('an aborted upload releases its bytes', async () => {
  await using api = await proxied();
  const { uploads, held } = await uploadEach(4, () => upload(api, FULL_ACCESS));
  assert.ok(held <= 3);
  close(uploads);
  const isAccepted = async () => {
    const again = await uploadEach(1, () => upload(api, FULL_ACCESS));
    close(again.uploads);
    return again.held === 1;
  };
  assert.ok(await eventually(isAccepted, 60_000));
});

test('uploads beyond the share that one client address may use get 429, even with several API keys', async () => {
  await using api = await proxied();
  let key = 0;
  const ofAddress = () => upload(api, `${restricted('emails:send')},${key++}`);
  const { uploads, rejected } = await uploadEach(8, ofAddress);
  assert.deepEqual([...new Set(rejected)], [429]);
  const other = upload(api, OTHER_PROJECT, '192.0.2.2');
  assert.equal(await other.state(), 'held');
  assert.equal((await api.client(FULL_ACCESS).post('/v1/emails', email)).status, 202);
  close([...uploads, other]);
});

test('uploads beyond the total budget get 503, while small requests are served', async () => {
  await using api = await proxied();
  let n = 0;
  const fromNewClient = () => upload(api, `${restricted('emails:send')},${n}`, `192.0.2.${n++}`);
  const { uploads, rejected } = await uploadEach(12, fromNewClient);
  assert.deepEqual([...new Set(rejected)], [503]);
  assert.equal((await api.client(FULL_ACCESS).post('/v1/emails', email)).status, 202);
  close(uploads);
});

test('only bytes that have arrived count toward the budget, not the announced Content-Length', async () => {
  await using api = await proxied();
  const slow = Array.from({ length: 100 }, () => {
    const socket = connect(api.port, 'localhost');
    socket.write(
      `POST /v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${FULL_ACCESS}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${6 * MIB}\r\n\r\n{`,
    );
    return { socket };
  });
  const { held, uploads } = await uploadEach(1, () => upload(api, FULL_ACCESS));
  assert.equal(held, 1);
  close([...slow, ...uploads]);
});

test('a decoded body counts toward the budget until its response, even if the client has disconnected', async () => {
  const { promise: stored, resolve: store } = Promise.withResolvers<void>();
  let waiting = 0;
  await using api = await startTestApi(
    { trustedProxies: ['127.0.0.0/8', '::1'] },
    {
      acceptEmail: async () => {
        waiting += 1;
        await stored;
        throw new Error('for the answer');
      },
    },
  );
  const bytes = await promisify(gzip)(
    JSON.stringify({ ...email, html: 'x'.repeat(2 * MIB), text: 'y'.repeat(2 * MIB) }),
  );
  const answers: Promise<unknown>[] = [];
  let rejected = 0;
  const controller = new AbortController();
  for (let n = 0; n < 10; n++) {
    const response = fetch(`${api.baseUrl}/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${FULL_ACCESS}`,
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      body: bytes,
      signal: controller.signal,
    });
    answers.push(
      response.then(
        ({ status }) => {
          if (status === 429) rejected += 1;
          return status;
        },
        () => 'aborted',
      ),
    );
  }
  assert.ok(await eventually(() => waiting + rejected === 10, 60_000));
  assert.ok(waiting >= 1 && waiting <= 4, `${waiting} wait`);
  controller.abort();
  assert.deepEqual(new Set(await Promise.all(answers)), new Set(['aborted', 429]));
  const beside = await uploadEach(4, () => upload(api, FULL_ACCESS));
  assert.ok(beside.held * 6 + waiting * 4 <= 72, `${beside.held} were held beside ${waiting}`);
  close(beside.uploads);
  store();
  const isAccepted = async () => {
    const again = await uploadEach(1, () => upload(api, FULL_ACCESS));
    close(again.uploads);
    return again.held === 1;
  };
  assert.ok(await eventually(isAccepted, 60_000));
});
