import assert from 'node:assert/strict';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { listenToQueue, QueueNotifier } from './notify.ts';

const PATIENCE_MS = 15_000;

/** The network on the way to a server. */
interface Network extends AsyncDisposable {
  url: string;
  /** What is sent arrives nowhere, and nobody is told. */
  isSilent: boolean;
  /** How many were begun. */
  connections: number;
}

async function networkTo(url: string): Promise<Network> {
  const { hostname, port, pathname } = new URL(url);
  const host = decodeURIComponent(hostname);
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    // A connection that was begun in silence stays silent.
    const isLost = network.isSilent;
    network.connections += 1;
    const far = host.startsWith('/')
      ? connect(`${host}/.s.PGSQL.${port || 5432}`)
      : connect(Number(port || 5432), host);
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', (chunk) => {
        if (!network.isSilent && !isLost) to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const network: Network = {
    url: `postgres://posthorn@127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    isSilent: false,
    connections: 0,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return network;
}

test('a server that takes the connection and says nothing is dialled again', async () => {
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

test('who stops listening does not wait for a server that has gone silent', async () => {
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
