import assert from 'node:assert/strict';
import { test } from 'node:test';
import { directTo } from '../../../../test/support/direct-to.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { outboundMessage } from '../../../../test/support/relay-to.ts';
import { startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { WorkerShare } from '../../../concurrency/share.ts';

const ZONE = {
  'example.net': { MX: ['10 mx.example.net'] },
  'mx.example.net': { A: ['127.0.0.1'] },
};

/** Starts `count` workers that share one shaping rule. */
async function workers(port: number, count: number, maxConnections: number, perSecond: number | null) {
  const rule = {
    name: null,
    maxConnections,
    maxMessagesPerConnection: 100,
    maxMessagesPerSecond: perSecond,
  };
  let shares: WorkerShare[] = Array.from({ length: count }, (_, index) => ({ index, count }));
  const all = await Promise.all(
    shares.map((_, at) =>
      directTo(port, ZONE, { shaping: { ruleFor: () => rule }, share: () => shares[at] as WorkerShare }),
    ),
  );
  return {
    all,
    become(next: WorkerShare[]) {
      shares = next;
      for (const each of all) each.adapt();
    },
    async [Symbol.asyncDispose]() {
      for (const each of all) await each[Symbol.asyncDispose]();
    },
  };
}

test('workers together stay within the connection limit of a destination, and a worker without a slot releases its mail', async () => {
  let most = 0;
  await using server = await startSmtpServer({
    reply: () => {
      most = Math.max(most, server.openConnections);
      return undefined;
    },
  });
  await using group = await workers(server.port, 5, 2, null);
  const outcomes = await Promise.all(
    group.all.map(async (worker) => {
      const sent = await Promise.all(Array.from({ length: 30 }, () => worker.send(outboundMessage())));
      return [...new Set(sent.map((outcome) => JSON.stringify(outcome.outcome)))].join();
    }),
  );
  assert.deepEqual(outcomes.toSorted(), [
    '"abandoned"',
    '"abandoned"',
    '"abandoned"',
    '"accepted"',
    '"accepted"',
  ]);
  assert.ok(most <= 2, `${most} connections`);
  const placed = group.all.filter((worker) => worker.hasSlot('example.net'));
  assert.equal(placed.length, 2);
  for (const worker of group.all)
    assert.equal(worker.capacityLeft('example.net') > 0, worker.hasSlot('example.net'));
});

test('the rate is divided among workers with a slot, and each of them gets at least one message per second', async () => {
  await using server = await startSmtpServer();
  await using group = await workers(server.port, 4, 10, 2);
  await Promise.all(group.all.map((worker) => worker.send(outboundMessage())));
  assert.equal(group.all.filter((worker) => worker.hasSlot('example.net')).length, 2);
  assert.equal(server.messages.length, 2);
});

test('a worker takes over the slots of ended workers, and closes its connection when they return', async () => {
  await using server = await startSmtpServer();
  await using group = await workers(server.port, 3, 1, null);
  const [worker] = group.all;
  assert.ok(worker);
  group.become([
    { index: 0, count: 1 },
    { index: 1, count: 3 },
    { index: 2, count: 3 },
  ]);
  assert.equal((await worker.send(outboundMessage())).outcome, 'accepted');
  for (let index = 0; index < 3; index++) {
    group.become([
      { index, count: 3 },
      { index: 0, count: 3 },
      { index: 0, count: 3 },
    ]);
    if (!worker.hasSlot('example.net')) break;
  }
  assert.deepEqual(await worker.send(outboundMessage()), { outcome: 'abandoned', isElsewhere: true });
  assert.ok(await eventually(() => server.openConnections === 0, 5_000));
});
