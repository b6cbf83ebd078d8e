import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { test } from 'node:test';
import { Wire } from './wire.ts';

test('a listener that is set after the connection was lost is notified of the loss', async () => {
  await using server = createServer((socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const lostReason = (wire: Wire): Promise<string> =>
    new Promise((resolve) => wire.listen({ onLost: resolve, onReplies: () => {}, onLate: () => {} }));
  const wire = new Wire(socket, 1_000, { onLost: () => {}, onReplies: () => {}, onLate: () => {} });
  assert.equal(await lostReason(wire), 'the host closed the connection');
  assert.equal(await lostReason(wire), 'the host closed the connection');
});
