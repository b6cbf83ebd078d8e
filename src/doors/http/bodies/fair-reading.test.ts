import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { test } from 'node:test';
import { FULL_ACCESS, startTestApi } from '../api.fixture.ts';

const KIB = 1024;
const CONNECTIONS = 48;
const BODY = Buffer.alloc(1024 * KIB, 0x20);

const arrived: IncomingMessage[] = [];
subscribe('http.server.request.start', (message) => {
  arrived.push((message as { request: IncomingMessage }).request);
});

const nextIteration = () => new Promise(setImmediate);
const bytesRead = () => arrived.reduce((sum, { socket }) => sum + socket.bytesRead, 0);

for (const [what, path, authorization] of [
  ['of an operation', '/v1/emails', `Bearer ${FULL_ACCESS}`],
  ['for an unknown path', '/v1/nothing', ''],
  ['without a key', '/v1/emails', ''],
] as const) {
  test(`many bodies ${what} are read in small slices per iteration of the event loop until all bodies are complete`, async () => {
    await using api = await startTestApi();
    arrived.length = 0;
    const sockets = Array.from({ length: CONNECTIONS }, () => {
      const socket = connect(api.port, 'localhost').resume();
      socket.on('error', () => {});
      socket.write(
        `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${BODY.length + 1}\r\n\r\n`,
      );
      return socket;
    });
    while (arrived.length < CONNECTIONS) await nextIteration();
    for (const socket of sockets) socket.write(BODY);
    // Wait until the first chunks have arrived, while all connections wait for their next slice.
    while (arrived.some(({ socket }) => socket.bytesRead < 64 * KIB)) await nextIteration();
    let most = 0;
    for (let before = bytesRead(); before < CONNECTIONS * BODY.length; ) {
      await nextIteration();
      const after = bytesRead();
      most = Math.max(most, after - before);
      before = after;
    }
    // In each iteration, sixteen bodies are read, with one or two chunks of 64 KiB each.
    assert.ok(most <= 16 * 128 * KIB, `${Math.round(most / KIB)} KiB were read in one turn`);
    for (const socket of sockets) socket.destroy();
  });
}

test('a body in one-byte chunks is read completely', async () => {
  await using api = await startTestApi();
  const email = JSON.stringify({ from: 'a@x.test', to: ['b@y.test'], text: 'x'.repeat(100_000) });
  const socket = connect(api.port, 'localhost');
  const answer = new Promise<string>((resolve) => {
    socket.once('data', (chunk: Buffer) => resolve(chunk.toString()));
  });
  socket.write(
    `POST /v1/emails HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${FULL_ACCESS}\r\n` +
      `Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  socket.write(`${Array.from(email, (character) => `1\r\n${character}\r\n`).join('')}0\r\n\r\n`);
  assert.match(await answer, /^HTTP\/1\.1 202/);
  socket.destroy();
});
