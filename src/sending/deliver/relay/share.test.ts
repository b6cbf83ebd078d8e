import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { outboundMessage } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { WorkerShare } from '../../../concurrency/share.ts';
import { Relay } from './relay.ts';

const MAX_CONNECTIONS = 3;
const PATIENCE_MS = 5_000;

/** A worker whose share of the connections can change. */
function worker(port: number, first: WorkerShare) {
  let share = first;
  const relay = new Relay(
    { host: '127.0.0.1', port, implicitTls: false, username: null, password: null },
    { heloName: 'client.example', maxConnections: MAX_CONNECTIONS, share: () => share },
  );
  return {
    relay,
    async send(count: number) {
      const outcomes = await Promise.all(Array.from({ length: count }, () => relay.send(outboundMessage())));
      assert.ok(outcomes.every(({ outcome }) => outcome === 'accepted'));
    },
    become(next: WorkerShare) {
      share = next;
      relay.adapt();
    },
    [Symbol.asyncDispose]: () => relay.close(),
  };
}

test('workers together open no more connections to the smart host than a single worker may open', async () => {
  let most = 0;
  await using server = await startSmtpServer({
    reply: () => {
      most = Math.max(most, server.openConnections);
      return undefined;
    },
  });
  await using one = worker(server.port, { index: 0, count: 2 });
  await using two = worker(server.port, { index: 1, count: 2 });
  await Promise.all([one.send(100), two.send(100)]);
  await Promise.all([one.send(100), two.send(100)]);
  assert.equal(server.messages.length, 400);
  assert.ok(most <= MAX_CONNECTIONS, `${most} connections`);
});

test('connections beyond the share of a worker are closed, and accepted messages are still sent', async () => {
  await using server = await startSmtpServer();
  await using one = worker(server.port, { index: 0, count: 1 });
  await one.send(100);
  assert.ok(server.openConnections > 1);
  const sent = one.send(20);
  one.become({ index: 2, count: 3 });
  await sent;
  assert.ok(await eventually(() => server.openConnections === 1, PATIENCE_MS));
  assert.ok(one.relay.capacity > 0);
  const last = one.send(5);
  one.become({ index: 3, count: 4 });
  assert.equal(one.relay.capacity, 0);
  await last;
  assert.ok(await eventually(() => server.openConnections === 0, PATIENCE_MS));
  one.become({ index: 0, count: 1 });
  assert.ok(one.relay.capacity > 0);
  await one.send(10);
});
