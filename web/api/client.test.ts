/** How the clients of both applications time their calls. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, beforeEach, mock, test } from 'node:test';
import { createApi, type Handlers, ServiceAway, setHandlers } from './client.ts';

interface Paths {
  '/silent': { get: object; post: object };
  '/quick': { get: object };
}

/** Responds to `/quick` only. */
const server = createServer((request, response) => {
  if (request.url === '/quick') response.setHeader('posthorn-pages', 'these').end('{}');
});
const called: string[] = [];
const handlers: Handlers = {
  onSignedOut: () => undefined,
  confirm: () => Promise.resolve(false),
  onHeard: () => void called.push('heard'),
  onUnheard: () => void called.push('unheard'),
  onSlow: (isSlow) => void called.push(isSlow ? 'slow' : 'not slow'),
  onDoubt: () => void called.push('doubt'),
  onOtherPages: () => undefined,
};

before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  setHandlers(handlers);
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  called.length = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
});
afterEach(() => mock.timers.reset());

const api = () =>
  createApi<Paths>({
    prefix: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    readTimeoutMs: 8_000,
    csrfToken: () => '',
  });

test('a read without a response is slow after 2.5 seconds, and fails after its time limit', async () => {
  const read = api().GET('/silent');
  mock.timers.tick(2_499);
  assert.deepEqual(called, []);
  mock.timers.tick(1);
  assert.deepEqual(called, ['slow']);
  mock.timers.tick(5_500);
  await assert.rejects(read, ServiceAway);
  assert.deepEqual(called, ['slow', 'unheard', 'not slow']);
});

test('while several reads are slow, the server is slow until all have ended', async () => {
  const aborted = new AbortController();
  const reads = [api().GET('/silent'), api().GET('/silent', { signal: aborted.signal })];
  mock.timers.tick(2_500);
  assert.deepEqual(called, ['slow', 'slow']);
  aborted.abort();
  await assert.rejects(reads[1] ?? Promise.resolve(), { name: 'AbortError' });
  assert.deepEqual(called, ['slow', 'slow', 'slow']);
  mock.timers.tick(5_500);
  await assert.rejects(reads[0] ?? Promise.resolve(), ServiceAway);
  assert.equal(called.at(-1), 'not slow');
});

test('a slow read does not mean that the server is slow if another call has had a response since', async () => {
  const aborted = new AbortController();
  const read = api().GET('/silent', { signal: aborted.signal });
  await api().GET('/quick');
  mock.timers.tick(2_500);
  assert.deepEqual(called, ['heard']);
  aborted.abort();
  await assert.rejects(read, { name: 'AbortError' });
});

test('the server is no longer slow once any call has had a response, even if a slow read still waits', async () => {
  const aborted = new AbortController();
  const read = api().GET('/silent', { signal: aborted.signal });
  mock.timers.tick(2_500);
  await api().GET('/quick');
  assert.deepEqual(called, ['slow', 'heard', 'not slow']);
  aborted.abort();
  await assert.rejects(read, { name: 'AbortError' });
  assert.deepEqual(called, ['slow', 'heard', 'not slow']);
});

test('a change has no time limit, but the server is checked after 2.5 seconds', async () => {
  const aborted = new AbortController();
  const change = api().POST('/silent', { signal: aborted.signal });
  mock.timers.tick(60_000);
  assert.deepEqual(called, ['doubt']);
  aborted.abort();
  await assert.rejects(change, { name: 'AbortError' });
});
