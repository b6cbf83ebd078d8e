import assert from 'node:assert/strict';
import { test } from 'node:test';
import { outboundMessage, PATIENT } from '../../../../test/support/relay-to.ts';
import { type SmtpTestServer, startSmtpServer } from '../../../../test/support/smtp-server.ts';
import type { Outcome } from '../provider.ts';
import { SmtpConnectionBudget } from './connection-budget.ts';
import { newTransfer } from './transaction.ts';
import { ConnectionPool } from './connection-pool.ts';
import { openSession } from './host-session.ts';
import { Transcript } from './transcript.ts';

function poolTo(
  { port }: SmtpTestServer,
  budget: SmtpConnectionBudget,
  timings = PATIENT,
  maxMessages = 100,
): ConnectionPool & { send(): Promise<Outcome> } {
  const host = {
    name: 'mx',
    address: '127.0.0.1',
    port,
    implicitTls: false,
    tls: 'opportunistic',
    login: null,
    mayBeUs: false,
  } as const;
  const options = { heloName: 'client.example', timings };
  const pool = new ConnectionPool({
    role: 'destination',
    timings,
    open: (signal) => openSession(host, options, new Transcript(), signal),
    maxConnections: () => 5,
    maxMessages: () => maxMessages,
    budget,
  });
  return Object.assign(pool, {
    send: () => new Promise<Outcome>((resolve) => pool.submit(newTransfer(outboundMessage(), resolve))),
  });
}

const accepted = ({ outcome }: Outcome): boolean => outcome === 'accepted';

test('pools together open no more connections than the budget allows', async () => {
  await using server = await startSmtpServer();
  let open = 0;
  await using other = await startSmtpServer({
    reply: () => {
      open = Math.max(open, server.openConnections + other.openConnections);
      return undefined;
    },
  });
  const budget = new SmtpConnectionBudget(3);
  const pools = [server, other, server, other].map((to) => poolTo(to, budget));
  const outcomes = await Promise.all(pools.flatMap((pool) => Array.from({ length: 30 }, () => pool.send())));
  assert.ok(outcomes.every(accepted));
  // A new connection may open before the old connection is closed.
  assert.ok(open >= 3 && open <= 4, `${open}`);
  await Promise.all(pools.map((pool) => pool.close()));
});

test('if a pool needs a connection, the connection that was idle longest is closed', async () => {
  const servers = await Promise.all([startSmtpServer(), startSmtpServer(), startSmtpServer()]);
  const budget = new SmtpConnectionBudget(2);
  const pools = servers.map((server) => poolTo(server, budget));
  for (const pool of pools) assert.ok(accepted(await pool.send()));
  await servers[0]?.waitForNoConnection();
  assert.deepEqual(
    servers.map(({ openConnections }) => openConnections),
    [0, 1, 1],
  );
  await Promise.all(pools.map((pool) => pool.close()));
  await Promise.all(servers.map((server) => server.stop()));
});

test('a connection that failed to open no longer counts towards the budget', async () => {
  await using server = await startSmtpServer();
  const away = await startSmtpServer();
  await away.stop();
  const budget = new SmtpConnectionBudget(1);
  const [toAway, toServer] = [poolTo(away, budget), poolTo(server, budget)];
  const [first, second] = await Promise.all([toAway.send(), toServer.send()]);
  assert.equal(first.outcome, 'transient');
  assert.ok(accepted(second));
  await toServer.close();
});

test('a connection that opens after its pool no longer needs it is released to a waiting pool', async () => {
  const secondIsAsked = Promise.withResolvers<void>();
  const othersWait = Promise.withResolvers<void>();
  const second = Promise.withResolvers<undefined>();
  await using server = await startSmtpServer({
    pipelining: false,
    reply: async (stage, _argument, { connection }) => {
      if (stage === 'dot') await othersWait.promise;
      if (stage !== 'connect' || connection === 1) return undefined;
      secondIsAsked.resolve();
      return second.promise;
    },
  });
  await using slow = await startSmtpServer({
    reply: (stage) => {
      if (stage === 'dot') second.resolve(undefined);
      return stage === 'dot' ? 'stall' : undefined;
    },
  });
  await using other = await startSmtpServer();
  const budget = new SmtpConnectionBudget(2);
  const timings = { ...PATIENT, setUpMs: 10_000, dotMs: 10_000 };
  const pool = poolTo(server, budget, timings);
  const poolOfSlow = poolTo(slow, budget, timings);
  const poolOfOther = poolTo(other, budget, timings);
  const sending = [pool.send(), pool.send()];
  await secondIsAsked.promise;
  // When the first connection becomes idle, the slow server gets its slot. No message is left for the second connection.
  const stalled = poolOfSlow.send();
  const waiting = poolOfOther.send();
  othersWait.resolve();
  assert.ok((await Promise.all(sending)).every(accepted));
  assert.ok(accepted(await Promise.race([waiting, stalled])));
  await Promise.all([pool.close(), poolOfSlow.close(), poolOfOther.close()]);
  await stalled;
});

test('a pool whose connections are always busy loses one connection to a pool without connections', async () => {
  await using busy = await startSmtpServer();
  await using other = await startSmtpServer();
  const budget = new SmtpConnectionBudget(5);
  const [pool, poolOfOther] = [poolTo(busy, budget, PATIENT, 1_000_000), poolTo(other, budget)];
  let isOver = false;
  const keepBusy = async (): Promise<void> => {
    while (!isOver) await pool.send();
  };
  const sending = Array.from({ length: 20 }, keepBusy);
  await busy.waitForMessages(100);
  assert.ok(accepted(await poolOfOther.send()));
  const { openConnections } = busy;
  isOver = true;
  await Promise.all(sending);
  assert.equal(openConnections, 4);
  await Promise.all([pool.close(), poolOfOther.close()]);
});

test('a pool whose only connection is always busy loses this connection to a pool without connections', async () => {
  await using busy = await startSmtpServer();
  await using other = await startSmtpServer();
  const budget = new SmtpConnectionBudget(1);
  const [pool, poolOfOther] = [poolTo(busy, budget, PATIENT, 1_000_000), poolTo(other, budget)];
  let isOver = false;
  const keepBusy = async (): Promise<void> => {
    while (!isOver) await pool.send();
  };
  const sending = Array.from({ length: 20 }, keepBusy);
  await busy.waitForMessages(5);
  assert.ok(accepted(await poolOfOther.send()));
  isOver = true;
  await Promise.all(sending);
  await Promise.all([pool.close(), poolOfOther.close()]);
});

test('connections for pools without connections are shared round-robin between projects', () => {
  const budget = new SmtpConnectionBudget(0);
  const granted: string[] = [];
  const wait = (nextProjectId: string) =>
    budget.take({
      hasNone: true,
      nextProjectId,
      grow: () => granted.push(nextProjectId) && budget.take(user),
    });
  const user = { hasNone: false, nextProjectId: null, grow: () => {} };
  for (const project of ['a', 'a', 'a', 'a', 'b', 'c']) assert.equal(wait(project), false);
  for (let count = 0; count < 4; count += 1) budget.release(null);
  wait('d');
  budget.release(null);
  budget.release(null);
  assert.deepEqual(granted, ['a', 'b', 'c', 'a', 'd', 'a']);
});
