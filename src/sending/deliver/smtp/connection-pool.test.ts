import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { IMPATIENT, outboundMessage, relayTo } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';

const realSetTimeout = setTimeout;

const summary = (outcome: Outcome): string =>
  'reply' in outcome ? `${outcome.outcome} ${outcome.reply.replyCode}` : outcome.outcome;

describe('connections', () => {
  test('connections are reused', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port);
    for (let sent = 0; sent < 5; sent += 1) await relay.send(outboundMessage());
    assert.equal(server.connections, 1);
  });

  test('a pool opens no more connections than its limit', async () => {
    await using server = await startSmtpServer();
    await using relay = relayTo(server.port, { maxConnections: 3 });
    await Promise.all(Array.from({ length: 50 }, () => relay.send(outboundMessage())));
    assert.ok(server.connections > 1 && server.connections <= 3);
  });

  test('a connection that waits for the reply to its QUIT counts towards the limit', async () => {
    const second = Promise.withResolvers<Outcome>();
    let connected = 0;
    await using server = await startSmtpServer({
      reply: async (stage, _argument, { connection }) => {
        if (stage !== 'quit' || connection > 1) return undefined;
        void relay.send(outboundMessage()).then(second.resolve);
        // If the relay opened a connection too early, it would arrive before this connection.
        await setImmediate();
        const fence = connect(server.port, '127.0.0.1');
        await once(fence, 'data');
        connected = server.connections;
        fence.destroy();
        return undefined;
      },
    });
    await using relay = relayTo(server.port, { maxConnections: 1, maxMessages: 1 });
    await relay.send(outboundMessage());
    assert.equal(summary(await second.promise), 'accepted 250');
    assert.equal(connected, 2);
    assert.equal(server.connections, 3);
  });

  test('idle connections are closed with QUIT after the idle time', async () => {
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

  test('no message is lost if the host closes idle connections', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, { messages }) => (stage === 'mail' && messages === 1 ? 'close' : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 1 });
    for (let sent = 0; sent < 4; sent += 1) {
      assert.equal(summary(await relay.send(outboundMessage())), 'accepted 250');
    }
    assert.equal(server.connections, 4);
  });

  test('a pool has fewer connections if the host refuses more', async () => {
    await using server = await startSmtpServer({
      reply: (stage, _argument, { connection }) =>
        stage === 'connect' && connection > 1 ? '421 4.7.0 too many' : undefined,
    });
    await using relay = relayTo(server.port, { maxConnections: 5 });
    for (let round = 0; round < 3; round += 1) {
      const outcomes = await Promise.all(Array.from({ length: 100 }, () => relay.send(outboundMessage())));
      assert.ok(outcomes.every(({ outcome }) => outcome === 'accepted'));
    }
    assert.ok(server.connections <= 5);
    assert.equal(relay.capacity, 50);
  });

  test('a pool tries to open connections again after a pause while messages wait', async (t) => {
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
    const send = () => relay.send(outboundMessage());
    const [, , third] = [send(), send(), send()] as const;
    await refused.promise;
    assert.equal(summary(await third), 'accepted 250');
    assert.equal(dots, 1);
    setTimer.mock.restore();
    await relay.close();
  });
});

describe('capacity', () => {
  test('the capacity is 0 while the host is unavailable, 1 for the probe, and the initial 10 after a successful probe', async (t) => {
    let now = 0;
    t.mock.method(performance, 'now', () => now);
    let away = true;
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'connect' && away ? 'close' : undefined),
    });
    await using relay = relayTo(server.port, { maxConnections: 5 });
    assert.equal(relay.capacity, 10);
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      const outcome = await relay.send(outboundMessage());
      assert.equal(outcome.outcome === 'transient' && outcome.scope, 'host');
      now += pauseMs - 1;
      assert.equal(relay.capacity, 0);
      now += 1;
      assert.equal(relay.capacity, 1);
    }
    away = false;
    assert.equal(summary(await relay.send(outboundMessage())), 'accepted 250');
    assert.equal(relay.capacity, 10);

    away = true;
    now += 30_000;
    await server.waitForNoConnection();
    await relay.send(outboundMessage());
    now += 1_000;
    assert.equal(relay.capacity, 1);
  });
});

describe('closing', () => {
  test('closing sends QUIT on idle connections', async () => {
    await using server = await startSmtpServer();
    const relay = relayTo(server.port);
    await relay.send(outboundMessage());
    await Promise.all([relay.close(), relay.close()]);
    await server.waitForNoConnection();
    assert.deepEqual(server.violations, []);
  });

  test('closing ends a slow delivery after the grace period, and defers waiting messages', async () => {
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
    assert.deepEqual(outcomes.map(summary), ['transient null', 'transient null', 'transient null']);
    await server.waitForNoConnection();
  });

  test('closing aborts a connection that is being set up', { timeout: 5_000 }, async () => {
    await using server = await startSmtpServer({
      reply: (stage) => (stage === 'ehlo' ? 'stall' : undefined),
    });
    const relay = relayTo(server.port);
    const sending = relay.send(outboundMessage());
    const closing = relay.close();
    assert.equal(summary(await sending), 'transient null');
    await closing;
    await server.waitForNoConnection();
  });

  test('closing defers later messages', async () => {
    await using server = await startSmtpServer();
    const relay = relayTo(server.port);
    await relay.close();
    assert.equal(summary(await relay.send(outboundMessage())), 'transient null');
    assert.equal(server.connections, 0);
  });
});
