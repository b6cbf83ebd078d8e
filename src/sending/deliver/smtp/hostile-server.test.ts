import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';

const OUTCOMES = ['accepted', 'transient', 'permanent'];

/** Bytes that a server sends: noise, and plausible replies, which get further into a session. */
const bytes = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('250 ok\r\n', '354 go\r\n', '250-x\r\n250 PIPELINING\r\n').map(Buffer.from),
  },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(
        '250-',
        '250 ',
        '\r\n',
        '\n',
        '\r',
        '421 bye\r\n',
        '550 no\r\n',
        '450 4.2.2 \r\n',
        '220 ',
        '999 x\r\n',
        '25',
        '250-STARTTLS\r\n',
        '250 AUTH PLAIN LOGIN\r\n',
        '334 \r\n',
        '235 ok\r\n',
      )
      .map((text) => Buffer.from(text)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array)) },
);

/**
 * The server's response to each write of the client. After the last response the server closes the connection, resets it or falls silent.
 */
const script = fc.record({
  greeting: fc.constantFrom('220 hello\r\n', '220-a\r\n220 b\r\n', '').map((text) => Buffer.from(text)),
  turns: fc.array(fc.array(bytes, { maxLength: 4 }), { maxLength: 8 }),
  end: fc.constantFrom('close', 'reset', 'silence'),
  login: fc.constantFrom({}, {}, { username: 'ann', password: 'open sesame' }),
});

test('every message has an outcome, whatever the server sends', { timeout: 120_000 }, async () => {
  let current: { greeting: Buffer; turns: Buffer[][]; end: string } = {
    greeting: Buffer.alloc(0),
    turns: [],
    end: 'close',
  };
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const { greeting, turns, end } = current;
    let writes = 0;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      for (const part of turns[writes] ?? []) socket.write(part);
      writes += 1;
      if (writes <= turns.length) return;
      if (end === 'close') socket.end();
      if (end === 'reset') socket.resetAndDestroy();
    });
    if (greeting.length > 0) socket.write(greeting);
    else if (end !== 'silence') socket.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  await fc.assert(
    fc.asyncProperty(script, async ({ login, ...said }) => {
      current = said;
      const timings = {
        ...IMPATIENT,
        connectMs: 40,
        setUpMs: 40,
        commandMs: 40,
        dataMs: 40,
        dotMs: 40,
        graceMs: 20,
      };
      await using relay = relayTo(port, { maxConnections: 1, timings, ...login });
      const outcomes = await Promise.all([relay.send(outboundMessage()), relay.send(outboundMessage())]);
      for (const outcome of outcomes) {
        assert.ok(OUTCOMES.includes(outcome.outcome));
        assert.ok('reply' in outcome);
        const { dialogue, text } = outcome.reply;
        assert.ok(text.length <= 1_000);
        assert.ok((dialogue?.length ?? 0) <= 41);
        for (const line of dialogue ?? []) assert.doesNotMatch(line.text, /[\p{Cc}\p{Cs}]/u);
      }
    }),
    { numRuns: 120 },
  );
  for (const socket of sockets) socket.destroy();
  server.close();
});
