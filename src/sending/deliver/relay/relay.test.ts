import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

/** The outcome without the dialogue, which other tests cover. */
const bare = (outcome: Outcome): unknown => {
  assert.ok('reply' in outcome);
  const { dialogue, ...reply } = outcome.reply;
  assert.notEqual(dialogue, null);
  return { ...outcome, reply };
};

const summary = (outcome: Outcome): string =>
  'reply' in outcome ? `${outcome.outcome} ${outcome.reply.replyCode}` : outcome.outcome;

test('a smart host that greets with the name of this server accepts mail', async () => {
  await using server = await startSmtpServer({
    reply: (stage) => (stage === 'connect' ? '220 client.example ESMTP' : undefined),
  });
  await using relay = relayTo(server.port);
  assert.equal(summary(await relay.send(outboundMessage())), 'accepted 250');
});

describe('a message', () => {
  test('a message is sent unchanged, with its envelope', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from('Subject: x\r\n\r\n.\r\n..dots\r\n.\r\nend\r\n');
    const outcome = await relay.send(outboundMessage({ data, messageId: '<1@example.com>' }));
    assert.deepEqual(bare(outcome), {
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
        rcptParameters: [[]],
        data,
        tls: false,
        helo: 'client.example',
        authenticated: null,
        connection: 1,
      },
    ]);
    assert.deepEqual(server.violations, []);
  });

  test('a message of many megabytes arrives complete', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from(`Subject: x\r\n\r\n${`.${'x'.repeat(70)}\r\n`.repeat(80_000)}`);
    const outcomes = await Promise.all([
      relay.send(outboundMessage({ data })),
      relay.send(outboundMessage()),
    ]);
    assert.deepEqual(outcomes.map(summary), ['accepted 250', 'accepted 250']);
    assert.ok(server.messages.some((message) => message.data.equals(data)));
    assert.deepEqual(server.violations, []);
  });

  test('a message without a final line end gets one', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ data: Buffer.from('Subject: x\r\n\r\nend') }));
    assert.equal(server.messages[0]?.data.toString(), 'Subject: x\r\n\r\nend\r\n');
  });

  test('a message can have the null sender', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ mailFrom: '' }));
    assert.equal(server.messages[0]?.mailFrom, '');
  });

  test('a message is sent without SIZE if the host does not offer SIZE', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage());
    assert.deepEqual(server.messages[0]?.mailParameters, []);
  });

  test('a message with octets above 127 is declared as 8BITMIME', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ data: Buffer.from('Subject: x\r\n\r\né\r\n') }));
    assert.deepEqual(server.messages[0]?.mailParameters, ['BODY=8BITMIME']);
    assert.deepEqual(server.violations, []);
  });

  test('a message to a non-ASCII address requests SMTPUTF8', async () => {
    await using server = await startSmtpServer({ size: null });
    await using relay = relayTo(server.port);
    await relay.send(outboundMessage({ rcptTo: 'jörg@example.net', smtputf8: true }));
    assert.deepEqual(server.messages[0]?.rcptTo, ['jörg@example.net']);
    assert.deepEqual(server.messages[0]?.mailParameters, ['SMTPUTF8']);
  });

  test('a message to a non-ASCII address is rejected permanently without SMTPUTF8, even if its header is ASCII', async () => {
    await using server = await startSmtpServer({ smtpUtf8: false });
    await using relay = relayTo(server.port);
    const { outcome } = await relay.send(outboundMessage({ rcptTo: 'jörg@example.net' }));
    assert.equal(outcome, 'permanent');
    assert.deepEqual(server.messages, []);
  });

  test('a message with a non-ASCII header is rejected permanently if the host does not offer SMTPUTF8', async () => {
    await using server = await startSmtpServer({ smtpUtf8: false });
    await using relay = relayTo(server.port);
    const outcome = await relay.send(outboundMessage({ rcptTo: 'one@example.net', smtputf8: true }));
    assert.deepEqual(bare(outcome), {
      outcome: 'permanent',
      reply: {
        replyCode: null,
        enhancedCode: '5.6.7',
        text: '127.0.0.1 does not support non-ASCII addresses (SMTPUTF8)',
        remoteMta: '127.0.0.1',
        tls: false,
      },
    });
    assert.equal(summary(await relay.send(outboundMessage())), 'accepted 250');
  });
});

test('an address that contains line breaks is rejected, and the connection is used for the next message', async () => {
  await using server = await startSmtpServer();
  await using relay = relayTo(server.port);
  const bad = 'a@example.net>\r\nRCPT TO:<b@example.net';
  const messages = [outboundMessage({ rcptTo: bad }), outboundMessage({ mailFrom: bad }), outboundMessage()];
  const outcomes = await Promise.all(messages.map((message) => relay.send(message)));
  assert.deepEqual(outcomes.map(summary), ['permanent null', 'permanent null', 'accepted 250']);
  assert.deepEqual(server.messages[0]?.rcptTo, ['one@example.net']);
  assert.equal(server.connections, 1);
  assert.deepEqual(server.violations, []);
});

for (const pipelining of [true, false]) {
  describe(pipelining ? 'with PIPELINING' : 'without PIPELINING', () => {
    test('the connection is reset after a rejected recipient, and used for the next message', async () => {
      const stages: string[] = [];
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage, argument) => {
          stages.push(stage);
          return argument.startsWith('nobody') ? '550 5.1.1 no' : undefined;
        },
      });
      await using relay = relayTo(server.port, { maxConnections: 1 });
      const refused = await relay.send(outboundMessage({ rcptTo: 'nobody@example.net' }));
      const accepted = await relay.send(outboundMessage());
      assert.deepEqual([summary(refused), summary(accepted)], ['permanent 550', 'accepted 250']);
      assert.ok(stages.includes('rset'));
      assert.equal(server.connections, 1);
      assert.deepEqual(server.violations, []);
    });

    test('a rejection at MAIL is permanent', async () => {
      await using server = await startSmtpServer({
        pipelining,
        reply: (stage) => (stage === 'mail' ? '550 5.7.1 not from you' : undefined),
      });
      await using relay = relayTo(server.port);
      const outcome = await relay.send(outboundMessage());
      assert.equal(summary(outcome), 'permanent 550');
      assert.equal(outcome.outcome === 'permanent' && outcome.reply.enhancedCode, '5.7.1');
    });

    test('each of many messages is delivered exactly once, over few connections', async () => {
      await using server = await startSmtpServer({ pipelining });
      await using relay = relayTo(server.port, { maxConnections: 4, maxMessages: 60 });
      const messages = Array.from({ length: 1_000 }, () => outboundMessage());
      const outcomes = await Promise.all(messages.map((message) => relay.send(message)));
      assert.ok(outcomes.every(({ outcome }) => outcome === 'accepted'));
      const sent = messages.map((message) => message.data.toString()).sort();
      assert.deepEqual(server.messages.map((message) => message.data.toString()).sort(), sent);
      const perConnection = Map.groupBy(server.messages, (message) => message.connection);
      assert.ok([...perConnection.values()].every((group) => group.length <= 60));
      assert.deepEqual(server.violations, []);
    });
  });
}

describe('PIPELINING', () => {
  test('with PIPELINING, an envelope is sent in one write, and the next envelope right after the content', async () => {
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

  test('with PIPELINING, only a dot is sent if the host replies 354 although it rejected the recipient', async () => {
    await using server = await startSmtpServer({
      reply: (stage, argument) => {
        if (stage === 'data') return '354 go';
        return argument.startsWith('nobody') ? '550 5.1.1 no' : undefined;
      },
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    const refused = await relay.send(outboundMessage({ rcptTo: 'nobody@example.net', mayCommit }));
    const accepted = await relay.send(outboundMessage());
    assert.deepEqual([summary(refused), summary(accepted)], ['permanent 550', 'accepted 250']);
    assert.equal(server.connections, 1);
    assert.deepEqual(server.violations, []);
  });
});

describe('a lost lease', () => {
  for (const pipelining of [true, false]) {
    test(`a lost lease stops the final dot ${pipelining ? 'with' : 'without'} PIPELINING, and other messages are delivered`, async () => {
      await using server = await startSmtpServer({ pipelining });
      await using relay = relayTo(server.port, { maxConnections: 1 });
      const abandoned = outboundMessage({ mayCommit: () => false });
      const outcomes = await Promise.all(
        [outboundMessage(), abandoned, outboundMessage()].map((message) => relay.send(message)),
      );
      assert.deepEqual(outcomes.map(summary), ['accepted 250', 'abandoned', 'accepted 250']);
      assert.equal(server.messages.length, 2);
      assert.equal(server.connections, 2);
    });
  }

  test('the lease is checked after the content of a large message', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    const data = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(20_000)}`);
    assert.deepEqual(await relay.send(outboundMessage({ data, mayCommit: () => false })), {
      outcome: 'abandoned',
    });
    assert.equal(server.messages.length, 0);
  });
});
