/** The outcome of faults of a smart host, with one fault of each kind. The tests in smtp/ cover every cell of the fault table. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer, type Stage, type StageReply } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

/** The expected outcome, reply code and scope. */
type Expected = [
  outcome: Outcome['outcome'],
  replyCode: number | null,
  scope?: 'message' | 'sender' | 'host',
];

function expected(outcome: Outcome | undefined): Expected | undefined {
  if (outcome === undefined || !('reply' in outcome)) return undefined;
  const base: Expected = [outcome.outcome, outcome.reply.replyCode];
  return outcome.outcome === 'transient' ? [base[0], base[1], outcome.scope] : base;
}

const AWAY: Expected = ['transient', null, 'host'];

const cases: [stage: Stage, fault: StageReply, outcome: Expected][] = [
  ['connect', '554 5.7.1 not you', ['transient', 554, 'host']],
  ['ehlo', 'close', AWAY],
  ['mail', '450 4.7.1 later', ['transient', 450, 'message']],
  ['mail', '421 4.3.2 closing', ['transient', 421, 'sender']],
  ['mail', '530 5.7.0 log in first', ['transient', 530, 'host']],
  ['rcpt', '550 5.1.1 no', ['permanent', 550]],
  ['dot', 'stall', ['transient', null, 'message']],
];
for (const [stage, fault, outcome] of cases) {
  test(`${JSON.stringify(fault)} at ${stage} is ${outcome.join(' ')}`, async () => {
    await using server = await startSmtpServer({ reply: (at) => (at === stage ? fault : undefined) });
    await using relay = relayTo(server.port, { timings: IMPATIENT });
    assert.deepEqual(expected(await relay.send(outboundMessage())), outcome);
  });
}

describe('the smart host is unavailable', () => {
  test('the smart host is unavailable if it refuses the connection', async () => {
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

  test('the smart host is unavailable if its name does not resolve', async () => {
    await using relay = relayTo(25, {
      host: 'relay.example',
      lookup: (_host, _options, callback) =>
        callback(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), ''),
    });
    const outcome = await relay.send(outboundMessage());
    assert.match(outcome.outcome === 'transient' ? outcome.reply.text : '', /ENOTFOUND/);
  });

  test('after one failed connection, the smart host is unavailable for all waiting messages', async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'connect' ? '421 no' : undefined),
    });
    await using relay = relayTo(server.port);
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => relay.send(outboundMessage())));
    assert.ok(outcomes.every((outcome) => expected(outcome)?.[2] === 'host'));
    assert.equal(server.connections, 1);
  });

  test('a smart host that only supports HELO is not unavailable', async () => {
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
