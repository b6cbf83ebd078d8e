import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { MESSAGE, startTestListener, TestClient } from './dialogue.fixture.ts';
import { MAX_MESSAGE_OCTETS } from './replies.ts';

const KIB = 1024;
const CONNECTIONS = 16;
const CONTENT = Buffer.alloc(768 * KIB, `${'x'.repeat(62)}\r\n`);

const served: Socket[] = [];
subscribe('net.server.socket', (message) => {
  served.push((message as { socket: Socket }).socket);
});

const nextIteration = () => new Promise(setImmediate);
const octetsRead = () => served.reduce((sum, { bytesRead }) => sum + bytesRead, 0);

test('many large messages are read in small slices, so that the event loop stays responsive', async () => {
  await using listener = await startTestListener({ limits: { spoolOctets: 1024 * MAX_MESSAGE_OCTETS } });
  using stack = new DisposableStack();
  const clients: TestClient[] = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    const client = stack.use(await TestClient.connect(listener.port));
    await client.play(MESSAGE);
    clients.push(client);
  }
  for (const client of clients) client.send(CONTENT);
  // The first slice from each connection is read immediately, without waiting in a queue.
  while (served.some(({ bytesRead }) => bytesRead < 64 * KIB)) await nextIteration();
  let most = 0;
  for (let before = octetsRead(); before < CONNECTIONS * CONTENT.length; ) {
    await nextIteration();
    const after = octetsRead();
    most = Math.max(most, after - before);
    before = after;
  }
  // Without slices, one iteration would read two megabytes of each connection.
  assert.ok(most <= CONNECTIONS * 128 * KIB, `${Math.round(most / KIB)} KiB were read in one iteration`);
  for (const client of clients) client.send('\r\n.\r\n');
  for (const client of clients) assert.equal(await client.line(), '250 2.6.0 Accepted');
});
