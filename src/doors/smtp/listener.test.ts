import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { eventually } from '../../../test/support/eventually.ts';
import { MESSAGE, play, startTestListener, TestClient } from './dialogue.fixture.ts';

describe('limits', () => {
  test('a client that sends before the greeting is rejected', async () => {
    await using listener = await startTestListener({ limits: { greetMs: 60_000 } });
    using client = await TestClient.connect(listener.port);
    client.send('EHLO bot\r\nMAIL FROM:<>\r\n');
    assert.deepEqual(await client.rest(), ['554 5.5.1 Wait for the greeting before you send commands']);
  });

  test('an idle client is disconnected with a reply, even in the middle of a message', async () => {
    await using listener = await startTestListener({ limits: { idleMs: 100 } });
    await play(
      listener.port,
      `
      S: 220 mx.example ESMTP
      S: 421 4.4.2 Idle for too long
      S: (closed)`,
    );
    await play(
      listener.port,
      `${MESSAGE}
      C: never ended
      S: 421 4.4.2 Idle for too long
      S: (closed)`,
    );
  });

  test('a connection ends after the maximum duration, even if the client is never idle', async () => {
    await using listener = await startTestListener({ limits: { connectionMs: 300 } });
    using client = await TestClient.connect(listener.port);
    const talking = setInterval(() => client.send('NOOP\r\n'), 10);
    const lines = await client.rest();
    clearInterval(talking);
    assert.equal(lines.at(-1), '421 4.7.0 Connected for too long');
  });

  test('the 21st connection of a client is rejected until an earlier connection ends', async () => {
    await using listener = await startTestListener();
    using stack = new DisposableStack();
    const open = async () => stack.use(await TestClient.connect(listener.port));
    const clients = await Promise.all(Array.from({ length: 20 }, open));
    for (const client of clients) assert.match((await client.line()) ?? '', /^220 /);
    assert.deepEqual(await (await open()).rest(), ['421 4.7.0 Too many connections; try again later']);
    clients[0]?.send('QUIT\r\n');
    await clients[0]?.rest();
    const isGreeted = async () => (await (await open()).line())?.startsWith('220 ') === true;
    assert.ok(await eventually(isGreeted, 5_000));
  });

  test('the 61st connection of a network is rejected', async () => {
    await using listener = await startTestListener();
    using stack = new DisposableStack();
    for (let n = 0; n < 60; n++) {
      const client = stack.use(
        await TestClient.connect(listener.port, '127.0.0.1', `127.0.0.${11 + (n % 5)}`),
      );
      assert.match((await client.line()) ?? '', /^220 /);
    }
    const open = async (address: string) =>
      stack.use(await TestClient.connect(listener.port, '127.0.0.1', address));
    assert.deepEqual(await (await open('127.0.0.21')).rest(), [
      '421 4.7.0 Too many connections; try again later',
    ]);
    assert.match((await (await open('127.0.1.21')).line()) ?? '', /^220 /);
  });

  test('a trusted relay has no connection limit and no delayed greeting, and its errors are not counted', async () => {
    const relay = '127.0.0.31';
    await using listener = await startTestListener({
      isRelay: (address) => address === relay,
      limits: { connectionsPerClient: 2, connectionsPerNetwork: 2, greetMs: 60_000 },
    });
    using stack = new DisposableStack();
    const open = async () => stack.use(await TestClient.connect(listener.port, '127.0.0.1', relay));
    const clients = await Promise.all([open(), open(), open()]);
    for (const client of clients) assert.match((await client.line()) ?? '', /^220 /);
    const [client] = clients;
    client.send(
      `HELO gw\r\nMAIL FROM:<>\r\n${'RCPT TO:<nobody@send.test>\r\n'.repeat(30)}RCPT TO:<b+1@send.test>\r\nQUIT\r\n`,
    );
    const lines = await client.rest();
    assert.equal(lines.filter((line) => line.startsWith('550 5.1.1')).length, 30);
    assert.equal(lines.at(-2), '250 2.1.5 OK');
  });

  test('a client whose message takes too long is disconnected, with DATA and with chunks', async () => {
    await using listener = await startTestListener({ limits: { messageMs: 100 } });
    await play(
      listener.port,
      `${MESSAGE}
      C: begun
      S: 421 4.4.2 The message took too long
      S: (closed)`,
    );
    await play(
      listener.port,
      `
      S: 220 mx.example ESMTP
      C: HELO client
      C: MAIL FROM:<>
      C: RCPT TO:<b+1@send.test>
      C: BDAT 2
      R: ab
      S: 250 mx.example
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 250 2.0.0 2 octets
      S: 421 4.4.2 The message took too long
      S: (closed)`,
    );
  });

  test('a connection ends after a thousand commands without a message', async () => {
    await using listener = await startTestListener();
    using client = await TestClient.connect(listener.port);
    await client.line();
    client.send('NOOP\r\n'.repeat(1_001));
    const lines = await client.rest();
    assert.equal(lines.length, 1_001);
    assert.equal(lines.at(-1), '421 4.7.0 Too many commands');
  });

  test('a message that is too large is rejected after its last line, and the next message is accepted', async () => {
    await using listener = await startTestListener();
    using client = await TestClient.connect(listener.port);
    await client.play(MESSAGE);
    client.send(Buffer.alloc(40 * 1024 * 1024 + 1, 'x'));
    await client.play(`
      R: \\r\\n.\\r\\n
      S: 552 5.3.4 Message too large: the limit is 40 MB
      C: MAIL FROM:<>
      C: RCPT TO:<b+1@send.test>
      C: DATA
      S: 250 2.1.0 OK
      S: 250 2.1.5 OK
      S: 354 End with a dot on a line of its own
      C: small
      C: .
      S: 250 2.6.0 Accepted`);
    assert.deepEqual(
      listener.received.map(({ data }) => data),
      ['small\r\n'],
    );
  });

  test('all connections together can use a limited amount of memory for content, which is released with the reply', async () => {
    // A message of 200 KiB takes 256 KiB, because its buffer grows by doubling.
    await using listener = await startTestListener({ limits: { contentOctets: 6 * 256 * 1024 + 1_024 } });
    using stack = new DisposableStack();
    const large = Buffer.concat([Buffer.alloc(200 * 1024, 'x'), Buffer.from('\r\n.\r\n')]);
    const clients: TestClient[] = [];
    for (let at = 0; at < 6; at++) {
      const client = stack.use(await TestClient.connect(listener.port));
      // The reply to a chunk shows that the chunk has been read, so the memory for the chunk is in use from now on.
      await client.play(`${MESSAGE.slice(0, MESSAGE.indexOf('C: DATA'))}
        S: 250 2.1.0 OK
        S: 250 2.1.5 OK`);
      client.send('BDAT 204800\r\n');
      client.send(large.subarray(0, 204_800));
      assert.equal(await client.line(), '250 2.0.0 204800 octets');
      clients.push(client);
    }
    const refused = async (): Promise<boolean> => {
      using client = await TestClient.connect(listener.port);
      await client.play(MESSAGE);
      client.send(large);
      return (await client.line()) === '452 4.3.1 Too much mail at the same time; try again later';
    };
    assert.ok(await refused());
    for (const client of clients) client.send('BDAT 0 LAST\r\n');
    for (const client of clients) assert.equal(await client.line(), '250 2.6.0 Accepted');
    assert.equal(await refused(), false);
  });
});

describe('receiving messages', () => {
  test('the reply to a message is sent only after the message has been processed', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    await using listener = await startTestListener({
      receive: async () => {
        began.resolve();
        await promise;
        return 'accepted';
      },
    });
    using client = await TestClient.connect(listener.port);
    await client.play(`${MESSAGE}
      C: .`);
    await began.promise;
    // A pipelined command is not processed before the reply.
    client.send('QUIT\r\n');
    const answer = client.line();
    assert.equal(await Promise.race([answer, new Promise((done) => setImmediate(done, 'none'))]), 'none');
    resolve();
    assert.equal(await answer, '250 2.6.0 Accepted');
    assert.deepEqual(await client.rest(), ['221 2.0.0 Bye']);
  });

  test('the listener reads nothing from a client while it processes the message of the client', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    await using listener = await startTestListener({
      receive: async () => {
        began.resolve();
        await promise;
        return 'accepted';
      },
    });
    using client = await TestClient.connect(listener.port);
    await client.play(`${MESSAGE}
      C: .`);
    await began.promise;
    // The input is larger than the network buffers. If the listener read from this client, it would have read all of the input by the time
    // the other clients are served.
    client.send(Buffer.alloc(32 * 1024 * 1024, 'x'));
    for (let served = 0; served < 20; served++)
      await play(listener.port, 'S: 220 mx.example ESMTP\nC: NOOP\nS: 250 2.0.0 OK');
    assert.ok(client.unsentOctets > 0);
    resolve();
    assert.equal(await client.line(), '250 2.6.0 Accepted');
    assert.deepEqual(await client.rest(), ['500 5.5.2 Line too long']);
  });

  test('the reply to a message that cannot be stored is 451, and the connection stays open', async () => {
    await using listener = await startTestListener({ receive: () => Promise.reject(new Error('away')) });
    await play(
      listener.port,
      `${MESSAGE}
      C: .
      S: 451 4.3.0 Temporary failure; try again later
      C: NOOP
      S: 250 2.0.0 OK`,
    );
  });

  test('a complete message is processed even if the client disconnects before the reply', async () => {
    const began = Promise.withResolvers<void>();
    const done = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    await using listener = await startTestListener({
      receive: async () => {
        began.resolve();
        await done.promise;
        ended.resolve();
        return 'accepted';
      },
    });
    {
      using client = await TestClient.connect(listener.port);
      await client.play(`${MESSAGE}
        C: .`);
      await began.promise;
    }
    done.resolve();
    await ended.promise;
    await play(listener.port, 'S: 220 mx.example ESMTP');
  });
});

describe('closing the listener', () => {
  test('a closing listener sends 421 to idle clients, and the reply before 421 to clients with a message in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const began = Promise.withResolvers<void>();
    const listener = await startTestListener({
      receive: async () => {
        began.resolve();
        await promise;
        return 'accepted';
      },
    });
    using idle = await TestClient.connect(listener.port);
    await idle.play('S: 220 mx.example ESMTP');
    using reading = await TestClient.connect(listener.port);
    await reading.play(MESSAGE);
    using busy = await TestClient.connect(listener.port);
    await busy.play(`${MESSAGE}
      C: .`);
    await began.promise;
    const closed = listener[Symbol.asyncDispose]();
    assert.deepEqual(await idle.rest(), ['421 4.3.2 The server is stopping; try again later']);
    await assert.rejects(TestClient.connect(listener.port));
    resolve();
    const last = ['250 2.6.0 Accepted', '421 4.3.2 The server is stopping; try again later'];
    assert.deepEqual(await busy.rest(), last);
    reading.send('.\r\n');
    assert.deepEqual(await reading.rest(), last);
    await closed;
  });

  test('closing the listener does not wait for a message that never ends', async () => {
    const listener = await startTestListener();
    using client = await TestClient.connect(listener.port);
    await client.play(MESSAGE);
    await listener[Symbol.asyncDispose]();
    assert.deepEqual(await client.rest(), []);
  });
});

test('every reply to random input in random packets is valid, and the next client is served', async () => {
  await using listener = await startTestListener({ limits: { greetMs: 0 } });
  const part = fc.constantFrom(
    'EHLO x\r\n',
    'MAIL FROM:<>\r\n',
    'RCPT TO:<b+1@send.test>\r\n',
    'RCPT TO:<x@y.test>\r\n',
    'DATA\r\n',
    'BDAT 3\r\n',
    'BDAT 0 LAST\r\n',
    '\r\n.\r\n',
    'text\r\n',
    '.',
    '\r',
    '\n',
    'STARTTLS\r\n',
    'RSET\r\n',
    '\0',
    'é',
    'QUIT\r\n',
    '\xff',
  );
  const pieces = fc.array(fc.array(part, { maxLength: 6 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(pieces, async (texts) => {
      using client = await TestClient.connect(listener.port);
      assert.equal(await client.line(), '220 mx.example ESMTP');
      for (const text of texts) {
        client.send(Buffer.from(text.join(''), 'latin1'));
        await new Promise((resolve) => setImmediate(resolve));
      }
      client.finish();
      for (const line of await client.rest())
        assert.match(
          line,
          /^(?:354 |250[ -](?:mx\.example|[A-Z0-9]+(?: \d+)?)$|250 2\.0\.0 |([245])\d\d \1\.\d\.\d )/,
        );
    }),
    { numRuns: 150 },
  );
  for (const { addressees, data } of listener.received) {
    assert.ok(addressees.length > 0 && addressees.every((address) => address === 'b+1@send.test'));
    assert.match(data, /^(?:[^\r\n]*\r\n)*[^\r\n]*$/);
  }
  await play(listener.port, 'S: 220 mx.example ESMTP');
});
