import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ClientConnection } from './client-connection.ts';
import { ClientErrors } from './client-errors.ts';

const LIMITS = {
  lineOctets: 1_000,
  idleMs: 1_000,
  handshakeMs: 1_000,
  connectionMs: null,
  lingerMs: 100,
  halfLifeMs: 1_000,
  stallMs: 200,
  errorDelayMs: 3_600_000,
};

/** Connects a client that sends `text` and never reads replies. */
async function connectAndSend(text: string): Promise<{ connection: ClientConnection } & Disposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write(text);
  const [socket] = (await once(server, 'connection')) as [Socket];
  return {
    connection: new ClientConnection(socket, LIMITS, { idle: '', tooLong: '', shuttingDown: '' }),
    [Symbol.dispose]() {
      client.destroy();
      server.close();
    },
  };
}

test('a connection stops reading commands while the client reads no replies, which limits memory use', async () => {
  const lines = 20_000;
  using client = await connectAndSend('?\r\n'.repeat(lines));
  const { connection } = client;
  let answered = 0;
  for (; (await connection.line()) !== null; answered++) connection.write('!'.repeat(10_000));
  // All replies together would have 200 MB. Only those that fit into the operating system's buffers are written.
  assert.ok(answered < lines / 2, `${answered} answers`);
});

test('a connection lets the event loop run between pipelined commands', async () => {
  const lines = 10;
  using client = await connectAndSend('?\r\n'.repeat(lines));
  let [iterations, read] = [0, 0];
  const count = (): void => {
    iterations++;
    if (read < lines) setImmediate(count);
  };
  for (; read < lines; read++) {
    await client.connection.line();
    if (read === 0) setImmediate(count);
    // Simulate a command that takes 3 ms.
    for (const untilMs = performance.now() + 3; performance.now() < untilMs; );
  }
  assert.ok(iterations >= lines - 2, `${iterations} iterations`);
});

test('the reply to an error is delayed after 10 errors, until the connection ends', async () => {
  using client = await connectAndSend('');
  const { connection } = client;
  const errors = new ClientErrors();
  for (let n = 0; n < 10; n++) errors.add();
  assert.equal(errors.areMany, false);
  errors.add();
  assert.equal(errors.areMany, true);
  const delayed = connection.slowDown();
  connection.close();
  // Without the close, the test would take an hour.
  await delayed;
});
