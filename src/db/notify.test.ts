import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { networkTo } from '../../test/support/network.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { openDatabase } from './database.ts';
import { listenTo, listenToQueue, QueueNotifier } from './notify.ts';

const PATIENCE_MS = 15_000;

test('a listener reconnects when a server accepts the connection but sends nothing', async () => {
  await using db = await testDatabase();
  await using network = await networkTo(db.url);
  network.isSilent = true;
  let wakes = 0;
  await using _listening = listenToQueue(network.url, () => {
    wakes += 1;
  });
  assert.ok(await eventually(() => network.connections === 1, PATIENCE_MS));
  network.isSilent = false;
  const { wake } = new QueueNotifier(db.database);
  const isHeard = () => {
    wake();
    return wakes > 0;
  };
  assert.ok(await eventually(isHeard, PATIENCE_MS));
});

test('a listener stops without waiting for a silent server', async () => {
  await using db = await testDatabase();
  await using network = await networkTo(db.url);
  let wakes = 0;
  const listening = listenToQueue(network.url, () => {
    wakes += 1;
  });
  const { wake } = new QueueNotifier(db.database);
  const isHeard = () => {
    wake();
    return wakes > 0;
  };
  assert.ok(await eventually(isHeard, PATIENCE_MS));
  network.isSilent = true;
  let isOver = false;
  void listening[Symbol.asyncDispose]().then(() => {
    isOver = true;
  });
  assert.ok(await eventually(() => isOver, 5_000));
});

test('a listener reconnects at growing intervals to a proxy that closes connections at once', async () => {
  let connections = 0;
  const proxy = createServer((client) => {
    connections += 1;
    client.destroy();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  {
    await using _listening = listenToQueue(`postgres://posthorn@127.0.0.1:${port}/none`, () => {});
    assert.ok(await eventually(() => connections >= 2, PATIENCE_MS));
    const isStorm = await eventually(() => connections > 5, 4_000);
    assert.equal(isStorm, false, `${connections} connections`);
  }
  await new Promise((resolve) => proxy.close(resolve));
});

test('a listener that waits before its next attempt tries at once when another connection to the database opens', async () => {
  await using db = await testDatabase();
  await using network = await networkTo(db.url);
  network.isClosing = true;
  let isListening = false;
  await using _listening = listenTo(network.url, 'posthorn_test', {
    onNotice: () => {},
    onListening: () => {
      isListening = true;
    },
  });
  // After the third failure the pause is at least two seconds.
  assert.ok(await eventually(() => network.connections === 3, PATIENCE_MS));
  network.isClosing = false;
  const other = openDatabase(network.url, { poolSize: 1 });
  await sql`select 1`.execute(other);
  const startedAt = performance.now();
  assert.ok(await eventually(() => isListening, 1_800), `${performance.now() - startedAt} ms`);
  await other.destroy();
});
