import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { test } from 'node:test';
import { FULL_ACCESS, startTestApi } from './api.fixture.ts';

const auth = `Authorization: Bearer ${FULL_ACCESS}\r\n`;
const list = `GET /v1/emails HTTP/1.1\r\nHost: x\r\n${auth}\r\n`;

test('starting on a port in use fails with EADDRINUSE', async () => {
  await using api = await startTestApi();
  await assert.rejects(startTestApi({ listenAddress: { addresses: ['::'], port: api.port } }), {
    code: 'EADDRINUSE',
  });
});

test('starting fails if a trusted proxy is not an address', async () => {
  await assert.rejects(startTestApi({ trustedProxies: ['proxy.example.org'] }));
});

test('closing finishes requests in flight, sends Connection: close, and does not wait for idle connections', async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const api = await startTestApi(
    {},
    {
      listEmails: async () => {
        entered.resolve();
        await release.promise;
        return { data: [], next_cursor: null };
      },
    },
  );
  const idle = connect(api.port, 'localhost');
  idle.write(`GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n`);
  await once(idle, 'data');
  const busy = connect(api.port, 'localhost');
  const chunks: Buffer[] = [];
  busy.on('data', (chunk: Buffer) => chunks.push(chunk));
  busy.write(list);
  await entered.promise;

  const started = performance.now();
  const closed = api[Symbol.asyncDispose]();
  await once(idle.resume(), 'close');
  release.resolve();
  await Promise.all([closed, once(busy, 'close')]);
  const answer = Buffer.concat(chunks).toString();
  assert.match(answer, /^HTTP\/1.1 200/);
  assert.match(answer, /^connection: close\r$/im);
  assert.ok(performance.now() - started < 2_000);
});

test('closing does not wait for a connection without a request', async () => {
  const api = await startTestApi();
  const silent = connect(api.port, 'localhost');
  await once(silent, 'connect');
  assert.equal((await fetch(`${api.baseUrl}/healthz`)).status, 200);
  const started = performance.now();
  await Promise.all([api[Symbol.asyncDispose](), once(silent.resume(), 'close')]);
  assert.ok(performance.now() - started < 2_000);
});

test('closing does not wait for the response to a request whose connection was lost', async () => {
  const entered = Promise.withResolvers<void>();
  const api = await startTestApi(
    {},
    {
      listEmails: async () => {
        entered.resolve();
        return new Promise(() => {});
      },
    },
  );
  const socket = connect(api.port, 'localhost').resume();
  socket.on('error', () => {});
  // Two requests, then CONNECT. When the connection ends, Node.js emits `close` for neither of the two responses.
  socket.write(`${list}${list}CONNECT a.test:1 HTTP/1.1\r\nHost: x\r\n\r\n`);
  await entered.promise;
  await once(socket, 'close');
  const started = performance.now();
  await api[Symbol.asyncDispose]();
  assert.ok(performance.now() - started < 2_000);
});

test('while closing, new requests are accepted if another request is in flight, and responses have Connection: close', async () => {
  const entered = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const api = await startTestApi(
    {},
    {
      getEmail: async () => {
        entered.resolve();
        await release.promise;
        return null;
      },
    },
  );
  const slow = fetch(`${api.baseUrl}/v1/emails/em_01M7ZDAPBMEGMTKX0VXQTX1PT0`, {
    headers: { authorization: `Bearer ${FULL_ACCESS}` },
  });
  await entered.promise;
  const closed = api[Symbol.asyncDispose]();
  const late = await fetch(`${api.baseUrl}/healthz`);
  assert.equal(late.status, 200);
  assert.equal(late.headers.get('connection'), 'close');
  release.resolve();
  assert.equal((await slow).status, 404);
  await closed;
  await assert.rejects(fetch(`${api.baseUrl}/healthz`));
});

test('closing aborts a request that takes longer than five seconds', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const entered = Promise.withResolvers<void>();
  const api = await startTestApi(
    {},
    {
      listEmails: () => {
        entered.resolve();
        return new Promise(() => {});
      },
    },
  );
  const stuck = connect(api.port, 'localhost');
  stuck.on('error', () => {});
  stuck.write(list);
  await entered.promise;
  const closed = api[Symbol.asyncDispose]();
  t.mock.timers.tick(5_000);
  await Promise.all([closed, once(stuck.resume(), 'close')]);
});

test('the port is free after closing', async () => {
  const api = await startTestApi();
  await api[Symbol.asyncDispose]();
  const server = createServer().listen(api.port);
  await once(server, 'listening');
  server.close();
});
