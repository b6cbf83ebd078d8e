import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ClientConnection } from './client-connection.ts';

const LIMITS = {
  lineOctets: 1_000,
  idleMs: 1_000,
  handshakeMs: 1_000,
  connectionMs: null,
  lingerMs: 100,
  halfLifeMs: 1_000,
  stallMs: 200,
};

test('a client that asks and does not read is not asked for its next line, and does not fill the memory', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  const lines = 20_000;
  client.write('?\r\n'.repeat(lines));
  const [socket] = (await once(server, 'connection')) as [Socket];
  const connection = new ClientConnection(socket, LIMITS, { idle: '', tooLong: '', shuttingDown: '' });
  let answered = 0;
  for (; (await connection.line()) !== null; answered++) connection.write('!'.repeat(10_000));
  // What the system takes of 200 MB.
  assert.ok(answered < lines / 2, `${answered} answers`);
  client.destroy();
  server.close();
});
