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

const turn = () => new Promise(setImmediate);
const octetsRead = () => served.reduce((sum, { bytesRead }) => sum + bytesRead, 0);

test('of many messages little is read before others have their turn, and all in the end', async () => {
  await using listener = await startTestListener({ limits: { contentOctets: 1024 * MAX_MESSAGE_OCTETS } });
  using stack = new DisposableStack();
  const clients: TestClient[] = [];
  for (let n = 0; n < CONNECTIONS; n++) {
    const client = stack.use(await TestClient.connect(listener.port));
    await client.says(MESSAGE);
    clients.push(client);
  }
  for (const client of clients) client.send(CONTENT);
  // The first pieces come to connections that wait for them.
  while (served.some(({ bytesRead }) => bytesRead < 64 * KIB)) await turn();
  let most = 0;
  for (let before = octetsRead(); before < CONNECTIONS * CONTENT.length; ) {
    await turn();
    const after = octetsRead();
    most = Math.max(most, after - before);
    before = after;
  }
  // Without turns it would be two megabytes of each.
  assert.ok(most <= CONNECTIONS * 128 * KIB, `${Math.round(most / KIB)} KiB were read in one turn`);
  for (const client of clients) client.send('\r\n.\r\n');
  for (const client of clients) assert.equal(await client.line(), '250 2.6.0 Accepted');
});
