import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer, type Stage, type StageReply } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

/** Outcome, reply code, scope. */
type Expected = [outcome: Outcome['outcome'], replyCode: number | null, scope?: 'message' | 'host'];

function expected(outcome: Outcome | undefined): Expected | undefined {
  if (outcome === undefined || !('reply' in outcome)) return undefined;
  const base: Expected = [outcome.outcome, outcome.reply.replyCode];
  return outcome.outcome === 'transient' ? [base[0], base[1], outcome.scope] : base;
}

const LATER: Expected = ['transient', null, 'message'];
const AWAY: Expected = ['transient', null, 'host'];

/** What the server does at a stage, always; what becomes of a message; how many connections that takes. */
const cases: [stage: Stage, fault: StageReply, outcome: Expected, connections: number][] = [
  ['connect', '421 4.3.2 not now', ['transient', 421, 'host'], 1],
  ['connect', '554 5.7.1 not you', ['transient', 554, 'host'], 1],
  ['connect', 'SSH-2.0-x', AWAY, 1],
  ['connect', 'close', AWAY, 1],
  ['connect', 'stall', AWAY, 1],
  ['ehlo', '421 4.3.2 not now', ['transient', 421, 'host'], 1],
  ['ehlo', '450 4.7.1 not now', ['transient', 450, 'host'], 1],
  ['ehlo', '250-a\r\n251 b', AWAY, 1],
  ['ehlo', 'close', AWAY, 1],
  ['ehlo', 'stall', AWAY, 1],
  ['mail', '450 4.7.1 later', ['transient', 450, 'message'], 1],
  ['mail', '550 5.7.1 no', ['permanent', 550], 1],
  ['mail', '530 5.7.0 log in first', ['transient', 530, 'host'], 1],
  ['mail', '354 what', LATER, 2],
  ['mail', '421 4.3.2 closing', ['transient', 421, 'message'], 2],
  ['mail', 'nonsense', LATER, 2],
  ['mail', 'close', LATER, 2],
  ['mail', 'stall', LATER, 1],
  ['rcpt', '450 4.2.2 later', ['transient', 450, 'message'], 1],
  ['rcpt', '550 5.1.1 no', ['permanent', 550], 1],
  ['rcpt', '354 what', LATER, 2],
  ['rcpt', '421 4.3.2 closing', ['transient', 421, 'message'], 2],
  ['rcpt', 'nonsense', LATER, 2],
  ['rcpt', 'close', LATER, 2],
  ['rcpt', 'stall', LATER, 1],
  ['data', '450 4.3.0 later', ['transient', 450, 'message'], 1],
  ['data', '554 5.6.0 no', ['permanent', 554], 1],
  ['data', '250 what', LATER, 2],
  ['data', '421 4.3.2 closing', ['transient', 421, 'message'], 2],
  ['data', 'nonsense', LATER, 2],
  ['data', 'close', LATER, 2],
  ['data', 'stall', LATER, 1],
  ['dot', '450 4.3.0 later', ['transient', 450, 'message'], 1],
  ['dot', '554 5.6.0 no', ['permanent', 554], 1],
  ['dot', '354 what', LATER, 1],
  ['dot', '421 4.3.2 closing', ['transient', 421, 'message'], 1],
  ['dot', 'nonsense', LATER, 1],
  ['dot', 'close', LATER, 1],
  ['dot', 'stall', LATER, 1],
];

for (const pipelining of [true, false]) {
  describe(pipelining ? 'with PIPELINING' : 'without PIPELINING', { concurrency: 8 }, () => {
    for (const [stage, fault, outcome, connections] of cases) {
      test(`${JSON.stringify(fault)} at ${stage} is ${outcome.join(' ')}`, async () => {
        await using server = await startSmtpServer({
          pipelining,
          reply: (at) => (at === stage ? fault : undefined),
        });
        await using relay = relayTo(server.port, { timings: IMPATIENT });
        assert.deepEqual(expected(await relay.send(outboundMessage())), outcome);
        assert.equal(server.connections, connections);
        assert.deepEqual(server.messages, []);
        assert.deepEqual(server.violations, []);
      });

      if (outcome[2] === 'host' || fault === 'stall') continue;
      test(`${JSON.stringify(fault)} at ${stage}, once, costs the message behind nothing`, async () => {
        let faults = 1;
        await using server = await startSmtpServer({
          pipelining,
          reply: (at) => (at === stage && faults-- > 0 ? fault : undefined),
        });
        await using relay = relayTo(server.port, { maxConnections: 1, timings: IMPATIENT });
        const messages = [outboundMessage(), outboundMessage()];
        const [first, second] = await Promise.all(messages.map((message) => relay.send(message)));
        // Where nothing was handed over, another connection serves the first message too.
        const isRetried = connections === 2;
        assert.deepEqual(expected(first), isRetried ? ['accepted', 250] : outcome);
        assert.deepEqual(expected(second), ['accepted', 250]);
        assert.equal(server.messages.length, isRetried ? 2 : 1);
        if (fault === '421 4.3.2 closing') assert.equal(server.connections, 2);
        assert.deepEqual(server.violations, []);
      });
    }
  });
}

describe('the smart host is away', () => {
  test('when it refuses the connection', async () => {
    const server = await startSmtpServer();
    await server.stop();
    await using relay = relayTo(server.port);
    const outcome = await relay.send(outboundMessage());
    assert.deepEqual(expected(outcome), AWAY);
    assert.ok('reply' in outcome);
    const { dialogue, ...reply } = outcome.reply;
    const text = `No connection to 127.0.0.1, port ${server.port}: ECONNREFUSED`;
    assert.deepEqual(reply, {
      replyCode: null,
      enhancedCode: null,
      text,
      remoteMta: '127.0.0.1',
      tls: false,
    });
    assert.deepEqual(
      dialogue?.map((line) => line.text),
      [`connecting to 127.0.0.1, port ${server.port}`, text],
    );
  });

  test('when its name does not resolve', async () => {
    await using relay = relayTo(25, {
      host: 'relay.example',
      lookup: (_host, _options, callback) =>
        callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), ''),
    });
    const outcome = await relay.send(outboundMessage());
    assert.match(outcome.outcome === 'transient' ? outcome.reply.text : '', /ENOTFOUND/);
  });

  test('for all messages that wait, after one connection', async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'connect' ? '421 no' : undefined),
    });
    await using relay = relayTo(server.port);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => relay.send(outboundMessage())));
    assert.ok(outcomes.every((outcome) => expected(outcome)?.[2] === 'host'));
    assert.equal(server.connections, 1);
  });

  test('unless it only speaks HELO', async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'ehlo' ? '502 5.5.1 what?' : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    const outcomes = await Promise.all([relay.send(outboundMessage()), relay.send(outboundMessage())]);
    assert.deepEqual(outcomes.map(expected), [
      ['accepted', 250],
      ['accepted', 250],
    ]);
    assert.deepEqual(server.messages[0]?.mailParameters, []);
    assert.deepEqual(server.violations, []);
  });
});

describe('a message whose reply to the dot never came', () => {
  for (const fault of ['close', 'stall', 'nonsense'] as const) {
    test(`(${fault}) is not sent again, and its outcome is said to be unknown`, async () => {
      let dots = 0;
      await using server = await startSmtpServer({
        reply: (stage) => {
          if (stage !== 'dot') return undefined;
          dots += 1;
          return fault;
        },
      });
      await using relay = relayTo(server.port, { timings: IMPATIENT });
      const outcome = await relay.send(outboundMessage());
      assert.match(outcome.outcome === 'transient' ? outcome.reply.text : '', /^It is not known whether/);
      assert.equal(dots, 1);
    });
  }

  test('keeps its refusal where its recipient was refused', async () => {
    const replies: Partial<Record<Stage, StageReply>> = {
      rcpt: '550 5.1.1 no',
      data: '354 go',
      dot: 'close',
    };
    await using server = await startSmtpServer({ reply: (stage) => replies[stage] });
    await using relay = relayTo(server.port);
    assert.deepEqual(expected(await relay.send(outboundMessage())), ['permanent', 550]);
  });

  test('does not take the time of the reply from messages that come later', async () => {
    await using server = await startSmtpServer({ reply: (stage) => (stage === 'dot' ? 'stall' : undefined) });
    await using relay = relayTo(server.port, { maxConnections: 1, timings: { ...IMPATIENT, dotMs: 150 } });
    const first = relay.send(outboundMessage());
    let isOver = false;
    void first.then(() => {
      isOver = true;
    });
    // A message every few milliseconds: each finds the connection silent.
    const later: Promise<Outcome>[] = [];
    const timer = setInterval(() => later.push(relay.send(outboundMessage())), 5);
    const outcome = await Promise.race([
      first,
      new Promise<Outcome>((_resolve, reject) =>
        setTimeout(reject, 2_000, new Error('still waiting')).unref(),
      ),
    ]);
    clearInterval(timer);
    assert.ok(isOver && outcome.outcome === 'transient');
    await relay.close();
    await Promise.all(later);
  });
});

test('the reply to a message with which a host leaves is not told to the one behind it', async () => {
  const senders: string[] = [];
  const firstDot = Promise.withResolvers<void>();
  const secondDot = Promise.withResolvers<void>();
  const firstIsOver = Promise.withResolvers<void>();
  await using server = await startSmtpServer({
    reply: async (stage, argument, { connection }) => {
      if (stage === 'connect' && connection === 2) await firstDot.promise;
      if (stage === 'mail') senders[connection] = argument;
      if (stage !== 'dot') return undefined;
      (connection === 1 ? firstDot : secondDot).resolve();
      await (connection === 1 ? secondDot : firstIsOver).promise;
      return `421 4.3.2 no more from ${senders[connection]}`;
    },
  });
  await using relay = relayTo(server.port, { maxConnections: 2 });
  const [first, behind, other] = ['first', 'behind', 'other'].map((name) =>
    relay.send(outboundMessage({ mailFrom: `${name}@example.com` })),
  );
  // On the first connection `behind` loses its place; it goes behind `other`, on the second.
  void first?.then(() => firstIsOver.resolve());
  const outcomes = await Promise.all([first, behind, other]);
  const texts = outcomes.map((of) => (of?.outcome === 'transient' ? of.reply.text : ''));
  assert.match(texts[0] ?? '', /no more from first@/);
  assert.equal(texts[1], 'the host ended the connection');
  assert.match(texts[2] ?? '', /no more from other@/);
});

test('a host that refuses RSET is left, and the message behind it is sent elsewhere', async () => {
  for (const pipelining of [true, false]) {
    await using server = await startSmtpServer({
      pipelining,
      reply: (stage, argument) => {
        if (stage === 'rset') return '502 5.5.1 what?';
        return argument.startsWith('nobody') ? '550 5.1.1 no' : undefined;
      },
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    await relay.send(outboundMessage({ rcptTo: 'nobody@example.net' }));
    assert.deepEqual(expected(await relay.send(outboundMessage())), ['accepted', 250]);
    assert.equal(server.connections, 2);
  }
});

describe('a large message', () => {
  const data = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(200_000)}`);

  test('that the host refuses in the middle has that refusal', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, context) => {
        if (stage !== 'data') return undefined;
        return context.connection === 1 ? '354 go\r\n552 5.3.4 too much' : undefined;
      },
    });
    await using relay = relayTo(server.port);
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    assert.deepEqual(expected(await relay.send(outboundMessage({ data, mayCommit }))), ['permanent', 552]);
    assert.deepEqual(expected(await relay.send(outboundMessage())), ['accepted', 250]);
  });

  test('that the network does not take is given up, with no dot written', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, context) => {
        if (stage === 'data') context.pause();
        return undefined;
      },
    });
    await using relay = relayTo(server.port, { timings: IMPATIENT });
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    assert.deepEqual(expected(await relay.send(outboundMessage({ data, mayCommit }))), LATER);
  });
});
