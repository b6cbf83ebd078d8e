import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { ClientConnection } from '../tcp/client-connection.ts';
import { LIMITS } from './listener.ts';
import { Output } from './output.ts';
import { FAREWELLS } from './responses.ts';

test('long responses yield to the event loop, even if the network takes everything at once', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.resume();
  const [socket] = (await once(server, 'connection')) as [Socket];
  const output = new Output(new ClientConnection(socket, LIMITS, FAREWELLS));
  /** Counts turns of the event loop during 1,000 calls of `say`. */
  const turnsAfter = async (say: () => void): Promise<number> => {
    let turns = 0;
    let isOver = false;
    const count = (): void => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    for (let said = 0; said < 1_000; said++) {
      say();
      assert.equal(await output.room(), true);
    }
    isOver = true;
    return turns;
  };
  assert.equal(await turnsAfter(() => output.raw('x')), 0);
  const turns = await turnsAfter(() => output.raw('x'.repeat(1_024)));
  assert.ok(turns >= 3, `${turns}`);
  const unpacked = await turnsAfter(() => output.noteWork(65_536));
  assert.ok(unpacked >= 150, `${unpacked}`);
  client.destroy();
  server.close();
});
