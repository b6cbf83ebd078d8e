import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { onClientError } from './malformed.ts';
import { mayTakeLong } from './slow-bodies.ts';

const TIMES = { headersTimeout: 200, requestTimeout: 200, connectionsCheckingInterval: 50 };

async function statusOf(path: string): Promise<number> {
  const server = createServer(TIMES, (asked, answer) => {
    if (asked.url === '/large') mayTakeLong(asked);
    asked.on('error', () => {});
    asked.resume().on('end', () => answer.end());
  });
  server.on('clientError', onClientError);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await new Promise<number>((resolve, reject) => {
      const sent = request({ port, host: '127.0.0.1', path, method: 'PATCH' }, (answer) =>
        resolve(answer.resume().statusCode ?? 0),
      );
      sent.on('error', reject);
      sent.write('first');
      void sleep(900).then(() => sent.end('last'));
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test('a request marked with mayTakeLong may exceed the request timeout, and other requests may not', async () => {
  assert.equal(await statusOf('/large'), 200);
  assert.equal(await statusOf('/small'), 400);
});
