import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

const realSetTimeout = setTimeout;

const summary = (outcomes: readonly Outcome[]): string[] =>
  outcomes.map((outcome) =>
    'reply' in outcome ? `${outcome.outcome} ${outcome.reply.replyCode}` : outcome.outcome,
  );

describe('a message', () => {
  test('arrives as it was given, with its envelope', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from('Subject: x\r\n\r\n.\r\n..dots\r\n.\r\nend\r\n');
    const [outcome] = await relay.send(outboundMessage({ data, messageId: '<1@example.com>' }));
    assert.deepEqual(outcome, {
      outcome: 'accepted',
      reply: {
        replyCode: 250,
        enhancedCode: '2.0.0',
        text: 'taken as 1.1',
        remoteMta: '127.0.0.1',
        tls: false,
      },
      providerMessageId: '<1@example.com>',
    });
    assert.deepEqual(server.messages, [
      {
        mailFrom: 'sender@example.com',
        mailParameters: [`SIZE=${data.length}`],
        rcptTo: ['one@example.net'],
        data,
        tls: false,
        helo: 'client.example',
        authenticated: null,
        connection: 1,
      },
    ]);
    assert.deepEqual(server.violations, []);
  });

  test('of many megabytes arrives whole', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from(`Subject: x\r\n\r\n${`.${'x'.repeat(70)}\r\n`.repeat(80_000)}`);
    const outcomes = await Promise.all([
      relay.send(outboundMessage({ data })),
      relay.send(outboundMessage()),
    ]);
    assert.deepEqual(outcomes.map(summary), [['accepted 250'], ['accepted 250']]);
    assert.ok(server.messages.some((message) => message.data.equals(data)));
    assert.deepEqual(server.violations, []);
  });

  test('without a last line end gets one', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ data: Buffer.from('Subject: x\r\n\r\nend') }));
    assert.equal(server.messages[0]?.data.toString(), 'Subject: x\r\n\r\nend\r\n');
  });

  test('may have the null sender', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ mailFrom: '' }));
    assert.equal(server.messages[0]?.mailFrom, '');
  });

  test('goes without SIZE where that is not offered', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage());
    assert.deepEqual(server.messages[0]?.mailParameters, []);
  });

  test('with octets over 127 is declared', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ data: Buffer.from('Subject: x\r\n\r\né\r\n') }));
    assert.deepEqual(server.messages[0]?.mailParameters, ['BODY=8BITMIME']);
    assert.deepEqual(server.violations, []);
  });

  test('to an address beyond ASCII asks for SMTPUTF8', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ rcptTo: ['jörg@example.net'], smtputf8: true }));
    assert.deepEqual(server.messages[0]?.rcptTo, ['jörg@example.net']);
    assert.deepEqual(server.messages[0]?.mailParameters, ['SMTPUTF8']);
  });

  test('to an address beyond ASCII is refused for good where SMTPUTF8 is not offered', async () => {
    await using server = await startSmtpServer({ smtpUtf8: false });
    await using relay = relayTo(server.port);
    const [outcome] = await relay.send(outboundMessage({ rcptTo: ['jörg@example.net'], smtputf8: true }));
    assert.deepEqual(outcome, {
      outcome: 'permanent',
      reply: {
        replyCode: null,
        enhancedCode: '5.6.7',
        text: 'The smart host does not take addresses beyond ASCII (SMTPUTF8)',
        remoteMta: '127.0.0.1',
        tls: false,
      },
    });
    assert.deepEqual(await relay.send(outboundMessage()).then(summary), ['accepted 250']);
  });
});

describe('an address that would break out of its command', () => {
  const bad = 'a@example.net>\r\nRCPT TO:<b@example.net';

  test('is refused alone, and the other recipients are served', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const rcptTo = ['one@example.net', bad, 'two@example.net'];
    const outcomes = await relay.send(outboundMessage({ rcptTo }));
    assert.deepEqual(summary(outcomes), ['accepted 250', 'permanent null', 'accepted 250']);
    assert.deepEqual(server.messages[0]?.rcptTo, ['one@example.net', 'two@example.net']);
  });

  test('is refused where it is the only one, and the connection is of use for the next message', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const results = [
      outboundMessage({ rcptTo: [bad] }),
      outboundMessage({ mailFrom: bad }),
      outboundMessage(),
    ];
    const outcomes = await Promise.all(results.map((message) => relay.send(message)));
    assert.deepEqual(outcomes.map(summary), [['permanent null'], ['permanent null'], ['accepted 250']]);
    assert.equal(server.connections, 1);
    assert.deepEqual(server.violations, []);
  });
});

for (const pipelining of [true, false]) {
  describe(pipelining ? 'with PIPELINING' : 'without PIPELINING', () => {
    test('recipients that are refused have outcomes of their own', async () => {
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage, argument) =>
          stage === 'rcpt' ? { b: '550 5.1.1 no', c: '450 4.2.2 later' }[argument[0] ?? ''] : undefined,
      });
      await using relay = relayTo(server.port);
      const rcptTo = ['a', 'b', 'c', 'd'].map((name) => `${name}@example.net`);
      const outcomes = await relay.send(outboundMessage({ rcptTo }));
      assert.deepEqual(summary(outcomes), ['accepted 250', 'permanent 550', 'transient 450', 'accepted 250']);
      assert.deepEqual(server.messages[0]?.rcptTo, ['a@example.net', 'd@example.net']);
      assert.deepEqual(server.violations, []);
    });

    test('a message that no recipient is accepted for leaves the connection clean', async () => {
      const stages: string[] = [];
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage, argument) => {
          stages.push(stage);
          return argument.startsWith('nobody') ? '550 5.1.1 no' : undefined;
        },
      });
      await using relay = relayTo(server.port, { maxConnections: 1 });
      const refused = await relay.send(outboundMessage({ rcptTo: ['nobody@example.net'] }));
      const accepted = await relay.send(outboundMessage());
      assert.deepEqual([...summary(refused), ...summary(accepted)], ['permanent 550', 'accepted 250']);
      assert.ok(stages.includes('rset'));
      assert.equal(server.connections, 1);
      assert.deepEqual(server.violations, []);
    });

    test('a sender that is refused is refused for every recipient', async () => {
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage) => (stage === 'mail' ? '550 5.7.1 not from you' : undefined),
      });
      await using relay = relayTo(server.port);
      const outcomes = await relay.send(outboundMessage({ rcptTo: ['a@example.net', 'b@example.net'] }));
      assert.deepEqual(summary(outcomes), ['permanent 550', 'permanent 550']);
      assert.equal(outcomes[0]?.outcome === 'permanent' && outcomes[0].reply.enhancedCode, '5.7.1');
    });

    test('each of many messages is delivered exactly once, over few connections', async () => {
      await using server = await startSmtpServer({ pipelining });
      await using relay = relayTo(server.port, { maxConnections: 4, maxMessages: 60 });
      const messages = Array.from({ length: 1_000 }, () => outboundMessage());
      const outcomes = await Promise.all(messages.map((message) => relay.send(message)));
      assert.ok(outcomes.every(([outcome]) => outcome?.outcome === 'accepted'));
      const sent = messages.map((message) => message.data.toString()).sort();
      assert.deepEqual(server.messages.map((message) => message.data.toString()).sort(), sent);
      const perConnection = Map.groupBy(server.messages, (message) => message.connection);
      assert.ok([...perConnection.values()].every((group) => group.length <= 60));
      assert.deepEqual(server.violations, []);
    });
  });
}

describe('PIPELINING', () => {
  test('puts an envelope in one write, and the next one behind the content', async () => {
    const buffered: Record<string, boolean[]> = {};
    await using server = await startSmtpServer({
      reply: (stage, _argument, context) => {
        buffered[stage] ??= [];
        buffered[stage].push(context.buffered > 0);
        return undefined;
      },
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    await Promise.all([outboundMessage(), outboundMessage()].map((message) => relay.send(message)));
    assert.deepEqual(buffered['mail'], [true, true]);
    assert.deepEqual(buffered['data'], [false, false]);
    assert.deepEqual(buffered['dot'], [true, false]);
  });

  test('answers a 354 for no recipient at all with the dot alone', async () => {
    await using server = await startSmtpServer({
      reply: (stage, argument) => {
        if (stage === 'data') return '354 go';
        return argument.startsWith('nobody') ? '550 5.1.1 no' : undefined;
      },
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    const refused = await relay.send(outboundMessage({ rcptTo: ['nobody@example.net'], mayCommit }));
    const accepted = await relay.send(outboundMessage());
    assert.deepEqual([...summary(refused), ...summary(accepted)], ['permanent 550', 'accepted 250']);
    assert.equal(server.connections, 1);
    assert.deepEqual(server.violations, []);
  });
});

describe('a lease that is gone', () => {
  for (const pipelining of [true, false]) {
    test(`keeps the dot back ${pipelining ? 'with' : 'without'} PIPELINING, and other messages are delivered`, async () => {
      await using server = await startSmtpServer({ pipelining });
      await using relay = relayTo(server.port, { maxConnections: 1 });
      const rcptTo = ['a@example.net', 'b@example.net'];
      const gone = outboundMessage({ rcptTo, mayCommit: () => false });
      const outcomes = await Promise.all(
        [outboundMessage(), gone, outboundMessage()].map((message) => relay.send(message)),
      );
      assert.deepEqual(outcomes.map(summary), [
        ['accepted 250'],
        ['abandoned', 'abandoned'],
        ['accepted 250'],
      ]);
      assert.equal(server.messages.length, 2);
      assert.equal(server.connections, 2);
    });
  }

  test('is asked about after the content of a large message', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`);
    assert.deepEqual(await relay.send(outboundMessage({ data, mayCommit: () => false })), [
      { outcome: 'abandoned' },
    ]);
    assert.equal(server.messages.length, 0);
  });
});

describe('connections', () => {
  test('are used again', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    for (let sent = 0; sent < 5; sent += 1) await relay.send(outboundMessage());
    assert.equal(server.connections, 1);
  });

  test('are no more than allowed', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port, { maxConnections: 3 });
    await Promise.all(Array.from({ length: 50 }, () => relay.send(outboundMessage())));
    assert.ok(server.connections > 1 && server.connections <= 3);
  });

  test('quit when they have been idle', async () => {
    let quits = 0;
    await using server = await startSmtpServer({
      reply: (stage) => {
        if (stage === 'quit') quits += 1;
        return undefined;
      },
    });
    await using relay = relayTo(server.port, { timings: { ...IMPATIENT, idleMs: 20 } });
    await relay.send(outboundMessage());
    await server.waitForNoConnection();
    assert.equal(quits, 1);
  });

  test('that the host ends while they are idle cost no message', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, { messages }) => (stage === 'mail' && messages === 1 ? 'close' : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    for (let sent = 0; sent < 4; sent += 1) {
      assert.deepEqual(summary(await relay.send(outboundMessage())), ['accepted 250']);
    }
    assert.equal(server.connections, 4);
  });

  test('that the host does not want in such a number are done without', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, { connection }) =>
        stage === 'connect' && connection > 1 ? '421 4.7.0 too many' : undefined,
    });
    await using relay = relayTo(server.port, { maxConnections: 5 });
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => relay.send(outboundMessage())));
      assert.ok(outcomes.every(([outcome]) => outcome?.outcome === 'accepted'));
    }
    assert.ok(server.connections <= 5);
    assert.equal(relay.capacity, 20);
  });

  test('are asked for again after a while where messages wait for one', async (t) => {
    let dots = 0;
    await using server = await startSmtpServer({
      reply: (stage, _argument, { connection }) => {
        if (stage === 'connect' && connection === 2) return '421 4.7.0 too many';
        if (stage === 'dot' && connection === 1) return 'stall';
        if (stage === 'dot') dots += 1;
        return undefined;
      },
    });
    const refused = Promise.withResolvers<void>();
    const setTimer = t.mock.method(globalThis, 'setTimeout', (callback: () => void, delayMs: number) => {
      if (delayMs === 10_000) refused.resolve();
      return realSetTimeout(callback, delayMs === 10_000 ? 20 : delayMs);
    });
    const relay = relayTo(server.port, { maxConnections: 2, timings: { graceMs: 20 } });
    const sending = [outboundMessage(), outboundMessage(), outboundMessage()].map((message) =>
      relay.send(message),
    );
    await refused.promise;
    assert.deepEqual(summary((await sending[2]) ?? []), ['accepted 250']);
    assert.equal(dots, 1);
    setTimer.mock.restore();
    await relay.close();
  });
});

describe('capacity', () => {
  test('is none after the host was away, one for a probe, and full once that went well', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    let away = true;
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'connect' && away ? 'close' : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 5 });
    assert.equal(relay.capacity, 20);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      const [outcome] = await relay.send(outboundMessage());
      assert.equal(outcome?.outcome === 'transient' && outcome.scope, 'host');
      now += pauseMs - 1;
      assert.equal(relay.capacity, 0);
      now += 1;
      assert.equal(relay.capacity, 1);
    }
    away = false;
    assert.deepEqual(summary(await relay.send(outboundMessage())), ['accepted 250']);
    assert.equal(relay.capacity, 20);

    away = true;
    now += 30_000;
    await server.waitForNoConnection();
    await relay.send(outboundMessage());
    now += 1_000;
    assert.equal(relay.capacity, 1);
  });
});

describe('closing', () => {
  test('quits idle connections', async () => {
    await using server = await startSmtpServer();
    const relay = relayTo(server.port);
    await relay.send(outboundMessage());
    await relay.close();
    await server.waitForNoConnection();
    assert.deepEqual(server.violations, []);
  });

  test('ends what takes too long, and settles what waits', async () => {
    await using server = await startSmtpServer({ reply: (stage) => (stage === 'dot' ? 'stall' : undefined) });
    const relay = relayTo(server.port, { maxConnections: 1, timings: { graceMs: 50 } });
    const started = Promise.withResolvers<void>();
    const mayCommit = (): boolean => {
      started.resolve();
      return true;
    };
    const sending = [outboundMessage({ mayCommit }), outboundMessage(), outboundMessage()].map((message) =>
      relay.send(message),
    );
    await started.promise;
    await relay.close();
    const outcomes = await Promise.all(sending);
    assert.deepEqual(outcomes.map(summary), [['transient null'], ['transient null'], ['transient null']]);
    await server.waitForNoConnection();
  });

  test('ends a connection that is being set up', { timeout: 5_000 }, async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'ehlo' ? 'stall' : undefined),
    });
    const relay = relayTo(server.port);
    const sending = relay.send(outboundMessage());
    const closing = relay.close();
    assert.deepEqual(summary(await sending), ['transient null']);
    await closing;
    await server.waitForNoConnection();
  });

  test('refuses what comes after it', async () => {
    await using server = await startSmtpServer();
    const relay = relayTo(server.port);
    await relay.close();
    assert.deepEqual(summary(await relay.send(outboundMessage())), ['transient null']);
    assert.equal(server.connections, 0);
  });
});
