/** Attack: clients occupy all connections or all memory of the port, and then send next to nothing. */
import assert from 'node:assert/strict';
import { open } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { MESSAGE, startTestListener, TestClient, type TestListener } from './dialogue.fixture.ts';
import { SpoolFile } from './spool.ts';

const DISPLACED = '421 4.3.2 The server is busy and needs the capacity of this connection; try again later';
const TOO_MANY = '421 4.7.0 Too many connections; try again later';
const REPORT = `${MESSAGE}
  C: a report
  C: .
  S: 250 2.6.0 Accepted`;

const connect = (listener: TestListener, last: number) =>
  TestClient.connect(listener.port, '127.0.0.1', `127.0.0.${last}`);

const FEW = { limits: { connections: 100, connectionsPerNetwork: 1_000 } };

/** Opens 20 connections from each of five addresses. */
async function occupy(listener: TestListener, stack: DisposableStack): Promise<TestClient[]> {
  const clients: TestClient[] = [];
  for (let n = 0; n < 100; n++) clients.push(stack.use(await connect(listener, 11 + (n % 5))));
  for (const client of clients) assert.match((await client.line()) ?? '', /^220 /);
  return clients;
}

/** Collects the lines that the clients receive from now on. */
function collectLines(clients: readonly TestClient[]): string[] {
  const lines: string[] = [];
  for (const client of clients)
    client.rest().then(
      (received) => lines.push(...received),
      () => {},
    );
  return lines;
}

describe('when all connections are in use', () => {
  test('each new client displaces one of the idle connections from five addresses', async () => {
    await using listener = await startTestListener(FEW);
    using stack = new DisposableStack();
    const idle = await occupy(listener, stack);
    const ended = collectLines(idle);
    for (const from of [21, 22, 23]) await stack.use(await connect(listener, from)).play(REPORT);
    assert.equal(listener.received.length, 3);
    assert.ok(await eventually(() => ended.length === 3, 5_000));
    assert.deepEqual(new Set(ended), new Set([DISPLACED]));
  });

  test('a new client displaces one of the connections from five addresses that send only NOOP', async () => {
    await using listener = await startTestListener(FEW);
    using stack = new DisposableStack();
    const idle = await occupy(listener, stack);
    for (const client of idle) client.send('NOOP\r\n');
    for (const client of idle) assert.equal(await client.line(), '250 2.0.0 OK');
    await stack.use(await connect(listener, 21)).play(REPORT);
  });

  test("a client's only connection stays open while clients with many connections open more of them", async () => {
    await using listener = await startTestListener(FEW);
    using stack = new DisposableStack();
    using slow = await connect(listener, 21);
    await slow.play(MESSAGE);
    for (let n = 0; n < 300; n++) stack.use(await connect(listener, 11 + (n % 5)));
    slow.send('a report\r\n.\r\n');
    assert.equal(await slow.line(), '250 2.6.0 Accepted');
  });

  test('a new client is rejected if every open connection is at least as active', async () => {
    await using listener = await startTestListener({ limits: { connections: 2 } });
    using one = await connect(listener, 11);
    using two = await connect(listener, 12);
    for (const client of [one, two]) await client.play(MESSAGE);
    using late = await connect(listener, 13);
    assert.deepEqual(await late.rest(), [TOO_MANY]);
    for (const client of [one, two]) client.send('a report\r\n.\r\n');
    for (const client of [one, two]) assert.equal(await client.line(), '250 2.6.0 Accepted');
  });

  test('a client that waits for a reply is never displaced', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    await using listener = await startTestListener({
      limits: { connections: 1, halfLifeMs: 0.001 },
      receive: async () => {
        began.resolve();
        await promise;
        return 'accepted';
      },
    });
    using client = await connect(listener, 11);
    await client.play(`${MESSAGE}
      C: .`);
    await began.promise;
    using late = await connect(listener, 12);
    assert.deepEqual(await late.rest(), [TOO_MANY]);
    resolve();
    assert.equal(await client.line(), '250 2.6.0 Accepted');
  });

  test('a client that sent a message header long ago is displaced by a new client', async () => {
    await using listener = await startTestListener({ limits: { connections: 1, halfLifeMs: 0.001 } });
    using old = await connect(listener, 11);
    // The server has replied to the last line of `old`, so no input of `old` is in transit when `late` connects.
    await old.play(MESSAGE);
    using late = await connect(listener, 12);
    assert.match((await late.line()) ?? '', /^220 /);
    assert.deepEqual(await old.rest(), [DISPLACED]);
  });
});

describe('when all memory for content is in use', () => {
  const MESSAGE_OCTETS = 240 * 1024;
  /** The buffer for a message grows by doubling, so 240 KiB occupy 256 KiB. */
  const RESERVED_OCTETS = 256 * 1024;

  test('a report displaces a client that occupies memory and sends next to nothing', async () => {
    await using listener = await startTestListener({
      limits: { contentOctets: 2 * RESERVED_OCTETS, halfLifeMs: 200 },
    });
    using stack = new DisposableStack();
    const slow = [stack.use(await connect(listener, 31)), stack.use(await connect(listener, 32))];
    for (const client of slow) {
      await client.play(MESSAGE);
      client.send(Buffer.alloc(MESSAGE_OCTETS, 'x'));
    }
    // Wait until all input has been sent, because a client may be displaced before its input has been read.
    assert.ok(await eventually(() => slow.every(({ unsentOctets }) => unsentOctets === 0), 10_000));
    const ended = collectLines(slow);
    const isReserved = async () => {
      using client = await connect(listener, 41);
      await client.play(`${MESSAGE}
        C: a report
        C: .`);
      return (await client.line()) === '250 2.6.0 Accepted' && ended.length > 0;
    };
    assert.ok(await eventually(isReserved, 5_000));
    assert.deepEqual(ended, [DISPLACED]);
  });

  test('a slow sender is not displaced while there is free memory', async () => {
    await using listener = await startTestListener({ limits: { halfLifeMs: 0.001 } });
    using slow = await connect(listener, 31);
    await slow.play(MESSAGE);
    for (let n = 0; n < 20; n++) {
      slow.send('x');
      using other = await connect(listener, 32);
      await other.play(REPORT);
    }
    slow.send('\r\n.\r\n');
    assert.equal(await slow.line(), '250 2.6.0 Accepted');
  });
});

describe('when several large messages arrive at once', () => {
  const OCTETS = 3_000_000;
  /** Disk space for one large message. */
  const ONE = { spoolOctets: 5_000_000 };
  const CONTENT = Buffer.alloc(OCTETS, `${'x'.repeat(62)}\r\n`);

  /** Connects a client and plays the dialogue up to 354. */
  async function begin(listener: TestListener, last: number): Promise<TestClient> {
    const client = await connect(listener, last);
    await client.play(MESSAGE.replace('MAIL FROM:<>', `MAIL FROM:<> SIZE=${OCTETS}`));
    return client;
  }

  /** Waits until the listener has read the client's input, as it must have once it has replied to a client that connected later. */
  async function isRead(listener: TestListener, client: TestClient): Promise<void> {
    assert.ok(await eventually(() => client.unsentOctets === 0, 5_000));
    using later = await connect(listener, 21);
    await later.play(REPORT);
  }

  test('each large message waits until there is disk space for all of the message, and all messages are accepted', async () => {
    await using listener = await startTestListener({ limits: ONE });
    using stack = new DisposableStack();
    const clients: TestClient[] = [];
    for (const last of [11, 12, 13, 14]) clients.push(stack.use(await begin(listener, last)));
    for (const client of clients) {
      client.send(CONTENT);
      client.send('\r\n.\r\n');
    }
    for (const client of clients) assert.equal(await client.line(), '250 2.6.0 Accepted');
    assert.deepEqual(new Set(listener.received.map(({ data }) => data.length)), new Set([OCTETS + 2]));
  });

  test('a small message does not wait for large messages', async () => {
    await using listener = await startTestListener({ limits: ONE });
    using large = await begin(listener, 11);
    using waiting = await begin(listener, 12);
    large.send(CONTENT);
    await isRead(listener, large);
    waiting.send(CONTENT);
    using small = await connect(listener, 13);
    await small.play(REPORT);
    for (const client of [large, waiting]) {
      client.send('\r\n.\r\n');
      assert.equal(await client.line(), '250 2.6.0 Accepted');
    }
  });

  test('a large message that waits for disk space displaces a large message that stalls', async () => {
    await using listener = await startTestListener({ limits: { ...ONE, halfLifeMs: 1 } });
    using stopped = await begin(listener, 11);
    stopped.send(CONTENT);
    await isRead(listener, stopped);
    using next = await begin(listener, 12);
    next.send(CONTENT);
    next.send('\r\n.\r\n');
    assert.equal(await next.line(), '250 2.6.0 Accepted');
    assert.deepEqual(await stopped.rest(), [DISPLACED]);
  });

  test('a client that disconnects while waiting for disk space does not block the clients behind it', async () => {
    await using listener = await startTestListener({ limits: ONE });
    using large = await begin(listener, 11);
    large.send(CONTENT);
    await isRead(listener, large);
    const disconnected = await begin(listener, 12);
    disconnected.send(CONTENT);
    disconnected[Symbol.dispose]();
    using last = await begin(listener, 13);
    last.send(CONTENT);
    last.send('\r\n.\r\n');
    large.send('\r\n.\r\n');
    for (const client of [large, last]) assert.equal(await client.line(), '250 2.6.0 Accepted');
  });

  test('large messages that arrive slowly occupy no memory that another large message needs', async () => {
    await using listener = await startTestListener({ limits: { contentOctets: 5_000_000 } });
    using stack = new DisposableStack();
    const slow: TestClient[] = [];
    for (const last of [11, 12, 13, 14]) slow.push(stack.use(await begin(listener, last)));
    for (const client of slow) client.send(CONTENT);
    for (const client of slow) await isRead(listener, client);
    using next = await begin(listener, 15);
    next.send(CONTENT);
    next.send('\r\n.\r\n');
    assert.equal(await next.line(), '250 2.6.0 Accepted');
    for (const client of slow) client.send('\r\n.\r\n');
    for (const client of slow) assert.equal(await client.line(), '250 2.6.0 Accepted');
    const whole = `${CONTENT.toString('latin1')}\r\n`;
    assert.ok(listener.received.filter(({ data }) => data.length > 100).every(({ data }) => data === whole));
  });

  test('complete large messages wait for memory one after the other, and all are accepted', async () => {
    let atOnce = 0;
    let most = 0;
    await using listener = await startTestListener({
      limits: { contentOctets: 5_000_000 },
      receive: async () => {
        most = Math.max(most, ++atOnce);
        await new Promise(setImmediate);
        atOnce--;
        return 'accepted';
      },
    });
    using stack = new DisposableStack();
    const clients: TestClient[] = [];
    for (const last of [11, 12, 13, 14]) clients.push(stack.use(await begin(listener, last)));
    for (const client of clients) client.send(Buffer.concat([CONTENT, Buffer.from('\r\n.\r\n')]));
    for (const client of clients) assert.equal(await client.line(), '250 2.6.0 Accepted');
    assert.equal(most, 1);
  });

  test('a large message is rejected, and read to its end, if the disk is full', async () => {
    const failures: unknown[] = [];
    await using listener = await startTestListener({
      spool: {
        create: async () => new SpoolFile(await open('/dev/full', 'r+'), (error) => failures.push(error)),
      },
    });
    using client = await begin(listener, 11);
    client.send(CONTENT);
    client.send('\r\n.\r\n');
    assert.equal(await client.line(), '452 4.3.1 Too much mail at the same time; try again later');
    await client.play(REPORT.replace('  S: 220 mx.example ESMTP\n', ''));
    assert.deepEqual(
      failures.map((error) => (error as NodeJS.ErrnoException).code),
      ['ENOSPC'],
    );
  });
});
