// Runs in its own process: it measures the memory of the whole process, in which other tests would allocate buffers too.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { totalmem } from 'node:os';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { eventually } from '../../../../test/support/eventually.ts';
import { FULL_ACCESS, startTestApi } from '../api.fixture.ts';

const MIB = 1024 * 1024;
const CONNECTIONS = 100;
const BODY = Buffer.alloc(6 * MIB - 1, 0x20);
/** The bytes that bodies of one key may occupy, and 128 KiB for each connection that has data to read. */
const MOST_BYTES = 72 * MIB + CONNECTIONS * 128 * 1024;
/** V8 frees the bytes of collected buffers in another thread, which may be late on a busy machine. */
const SWEEP_MS = 10_000;

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NonNullable<typeof globalThis.gc>;
  collect();
  return process.memoryUsage().arrayBuffers;
}

test('a rejected body takes no memory while its connection stays open', {
  skip: Math.min(totalmem(), process.constrainedMemory() || Infinity) < 4096 * MIB,
}, async () => {
  await using api = await startTestApi();
  const before = usedBytes();
  const sockets = Array.from({ length: CONNECTIONS }, () => {
    const socket = connect(api.port, 'localhost');
    socket.on('error', () => {});
    socket.write(
      `POST /v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${FULL_ACCESS}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${BODY.length + 1}\r\n\r\n`,
    );
    socket.write(BODY);
    return socket;
  });
  const isRejected = sockets.map((socket) => once(socket, 'data'));
  // Twelve bodies fit into the share of the key, and are unfinished.
  const rejected = new Set<number>();
  await new Promise<void>((resolve) => {
    for (const [at, answer] of isRejected.entries())
      void answer.then(([chunk]: Buffer[]) => {
        assert.match(String(chunk), /^HTTP\/1\.1 429/);
        if (rejected.add(at).size === CONNECTIONS - 12) resolve();
      });
  });
  let added = 0;
  const isFreed = await eventually(() => {
    added = usedBytes() - before;
    return added <= MOST_BYTES;
  }, SWEEP_MS);
  for (const socket of sockets) socket.destroy();
  assert.ok(isFreed, `${Math.round(added / MIB)} MiB are in use`);
});
