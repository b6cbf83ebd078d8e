import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ClientConnection } from '../tcp/client-connection.ts';
import { LIMITS } from './listener.ts';
import { Output } from './output.ts';
import { FAREWELLS } from './responses.ts';

test('long responses yield to the event loop, even if the network accepts all output at once', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.resume();
  const [socket] = (await once(server, 'connection')) as [Socket];
  const output = new Output(new ClientConnection(socket, LIMITS, FAREWELLS));
  /** Counts iterations of the event loop during 1,000 calls of `write`. */
  const ticksAfter = async (write: () => void): Promise<number> => {
    let ticks = 0;
    let isOver = false;
    const count = (): void => {
      ticks++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for (let written = 0; written < 1_000; written++) {
      write();
      assert.equal(await output.drained(), true);
    }
    isOver = true;
    return ticks;
  };
  assert.equal(await ticksAfter(() => output.raw('x')), 0);
  const ticks = await ticksAfter(() => output.raw('x'.repeat(1_024)));
  assert.ok(ticks >= 3, `${ticks}`);
  const unpacked = await ticksAfter(() => output.noteWork(65_536));
  assert.ok(unpacked >= 150, `${unpacked}`);
  client.destroy();
  server.close();
});
