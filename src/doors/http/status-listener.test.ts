import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { startStatusListener } from './status-listener.ts';

test('a probe gets a response despite many idle connections', async () => {
  await using server = await startStatusListener({
    listenAddress: { addresses: ['::'], port: 0 },
    whyNotReady: () => Promise.resolve(null),
    metrics: { token: null, allowsLocalRequests: false, read: () => Promise.resolve('') },
  });
  const silent = Array.from({ length: 250 }, () => connect(server.port, '127.0.0.1').on('error', () => {}));
  try {
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    assert.equal((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status, 200);
  } finally {
    for (const socket of silent) socket.destroy();
  }
});
