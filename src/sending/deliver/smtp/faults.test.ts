/**
 * The outcome of a message if a server misbehaves: every cell of the table in docs/delivery.md, with one host, with and without PIPELINING.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FAULTS, readFaultTable, STAGES } from '../../../../test/support/fault-table.ts';
import { IMPATIENT, outboundMessage, PATIENT, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer, type Stage, type StageReply } from '../../../../test/support/smtp-server.ts';
import { testCertificate } from '../../../../test/support/tls/certificate.ts';
import type { Outcome } from '../provider.ts';

const DELIVERED = 'accepted over TLS';
const IN_THE_CLEAR = 'accepted';
const AWAY = 'transient host';
const LATER = 'transient message';
const SENDER = 'transient sender';

/** The outcomes that the table names, for a smart host, which has no next host. */
const MEANINGS: Readonly<Record<string, string>> = {
  'next host': AWAY,
  HELO: IN_THE_CLEAR,
  'in the clear': IN_THE_CLEAR,
  'sender waits': SENDER,
  deferred: LATER,
  'again, then sender waits': SENDER,
  'again, then deferred': LATER,
  'in doubt': `${LATER}, in doubt`,
  bounced: 'permanent',
  delivered: DELIVERED,
};

interface FaultCase {
  stage: Stage;
  fault: StageReply;
  outcome: string;
  /** Whether another connection is tried, because no final dot was sent. */
  isRetried: boolean;
}

const table = readFaultTable();
const cases: FaultCase[] = [
  ...table.map(({ stage, fault, word }) => ({
    stage: STAGES[stage] as Stage,
    fault: FAULTS[fault],
    outcome: MEANINGS[word] ?? '',
    isRetried: word.startsWith('again'),
  })),
  // Reply codes that end the session, demand something else, or make no sense.
  ...(
    [
      ['connect', '421 4.3.2 not now', AWAY],
      ['connect', 'SSH-2.0-x', AWAY],
      ['ehlo', '421 4.3.2 not now', AWAY],
      ['ehlo', '250-a\r\n251 b', AWAY],
      ['mail', '354 what', SENDER, true],
      ['mail', '421 4.3.2 closing', SENDER, true],
      ['rcpt', '354 what', LATER, true],
      ['rcpt', '421 4.3.2 closing', LATER, true],
      ['data', '250 what', LATER, true],
      ['data', '421 4.3.2 closing', LATER, true],
      ['dot', '354 what', `${LATER}, in doubt`],
      ['dot', '421 4.3.2 closing', LATER],
    ] as const
  ).map(([stage, fault, outcome, isRetried = false]) => ({ stage, fault, outcome, isRetried })),
];

function describeOutcome(outcome: Outcome | undefined): string {
  assert.ok(outcome !== undefined && 'reply' in outcome);
  const { reply } = outcome;
  if (outcome.outcome === 'accepted') return `accepted${reply.tls ? ' over TLS' : ''}`;
  if (outcome.outcome !== 'transient') return outcome.outcome;
  const doubt = reply.text.startsWith('It is unknown whether') ? ', in doubt' : '';
  return `transient ${outcome.scope}${doubt}`;
}

test('the fault table in docs/delivery.md has all stages and faults, and only known outcomes', () => {
  assert.deepEqual([...new Set(table.map(({ stage }) => stage))], Object.keys(STAGES));
  assert.deepEqual([...new Set(table.map(({ fault }) => fault))], Object.keys(FAULTS));
  for (const { word } of table) assert.ok(Object.hasOwn(MEANINGS, word), word);
});

for (const pipelining of [true, false]) {
  describe(pipelining ? 'with PIPELINING' : 'without PIPELINING', { concurrency: 8 }, () => {
    for (const { stage, fault, outcome, isRetried } of cases) {
      const timings = fault === 'stall' ? IMPATIENT : PATIENT;
      const isTaken = outcome.startsWith('accepted');

      test(`${JSON.stringify(fault)} at ${stage} is ${outcome}`, async () => {
        await using server = await startSmtpServer({
          pipelining,
          tls: testCertificate,
          reply: (at) => (at === stage ? fault : undefined),
        });
        await using relay = relayTo(server.port, { timings });
        const sent = await relay.send(outboundMessage());
        assert.equal(describeOutcome(sent), outcome);
        const code = /^[45]\d\d/.exec(fault ?? '')?.[0];
        if (code !== undefined && !isTaken)
          assert.ok('reply' in sent && sent.reply.replyCode === Number(code));
        // After a failed handshake, the relay connects again without TLS.
        assert.equal(server.connections, isRetried || stage === 'handshake' ? 2 : 1);
        assert.equal(server.messages.length, isTaken ? 1 : 0);
        await relay.close();
        assert.deepEqual(server.violations, []);
      });

      if (outcome === AWAY || isTaken || fault === 'stall') continue;
      test(`one ${JSON.stringify(fault)} at ${stage} does not affect the next message`, async () => {
        let faults = 1;
        await using server = await startSmtpServer({
          pipelining,
          reply: (at) => (at === stage && faults-- > 0 ? fault : undefined),
        });
        await using relay = relayTo(server.port, { maxConnections: 1, timings });
        const messages = [outboundMessage(), outboundMessage()];
        const [first, second] = await Promise.all(messages.map((message) => relay.send(message)));
        assert.equal(describeOutcome(first), isRetried ? 'accepted' : outcome);
        assert.equal(describeOutcome(second), 'accepted');
        assert.equal(server.messages.length, isRetried ? 2 : 1);
        if (fault === '421 4.3.2 closing') assert.equal(server.connections, 2);
        assert.deepEqual(server.violations, []);
      });
    }
  });
}

describe('a message without a reply to its final dot', () => {
  for (const fault of ['close', 'stall', 'nonsense'] as const) {
    test(`a message without a reply to its final dot is not sent again after ${fault}, and its outcome is unknown`, async () => {
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
      assert.match(outcome.outcome === 'transient' ? outcome.reply.text : '', /^It is unknown whether/);
      assert.equal(dots, 1);
    });
  }

  test('a message without a reply to its final dot keeps the rejection of its recipient', async () => {
    const replies: Partial<Record<Stage, StageReply>> = {
      rcpt: '550 5.1.1 no',
      data: '354 go',
      dot: 'close',
    };
    await using server = await startSmtpServer({ reply: (stage) => replies[stage] });
    await using relay = relayTo(server.port);
    assert.equal(describeOutcome(await relay.send(outboundMessage())), 'permanent');
  });

  test('later messages do not extend the wait for the reply to the final dot', async () => {
    await using server = await startSmtpServer({ reply: (stage) => (stage === 'dot' ? 'stall' : undefined) });
    await using relay = relayTo(server.port, { maxConnections: 1, timings: { ...IMPATIENT, dotMs: 150 } });
    const first = relay.send(outboundMessage());
    let isOver = false;
    void first.then(() => {
      isOver = true;
    });
    // A message is submitted every few milliseconds while the connection is silent.
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

test('the reply with which a host closes a connection is not the outcome of the next message', async () => {
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
  // On the first connection, `behind` loses its slot. On the second connection, it follows `other`.
  void first?.then(() => firstIsOver.resolve());
  const outcomes = await Promise.all([first, behind, other]);
  const texts = outcomes.map((of) => (of?.outcome === 'transient' ? of.reply.text : ''));
  assert.match(texts[0] ?? '', /no more from first@/);
  assert.equal(texts[1], 'the host ended the connection');
  assert.match(texts[2] ?? '', /no more from other@/);
});

test('a connection whose host rejects RSET is closed, and the next message is sent over another connection', async () => {
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
    assert.equal(describeOutcome(await relay.send(outboundMessage())), 'accepted');
    assert.equal(server.connections, 2);
  }
});

describe('a large message', () => {
  const data = Buffer.from(`Subject: x\r\n\r\n${`${'x'.repeat(70)}\r\n`.repeat(200_000)}`);

  test('a large message gets the rejection that the host sends during the content', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, context) => {
        if (stage !== 'data') return undefined;
        return context.connection === 1 ? '354 go\r\n552 5.3.4 too much' : undefined;
      },
    });
    await using relay = relayTo(server.port);
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    assert.equal(describeOutcome(await relay.send(outboundMessage({ data, mayCommit }))), 'permanent');
    assert.equal(describeOutcome(await relay.send(outboundMessage())), 'accepted');
  });

  test('a large message is abandoned without the final dot if the network stalls', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, context) => {
        if (stage === 'data') context.pause();
        return undefined;
      },
    });
    await using relay = relayTo(server.port, { timings: IMPATIENT });
    const mayCommit = (): boolean => assert.fail('nothing is handed over');
    assert.equal(describeOutcome(await relay.send(outboundMessage({ data, mayCommit }))), LATER);
  });
});
