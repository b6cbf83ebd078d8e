import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A port of 127.0.0.1 that is free at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

/** Resolves once a server listens on a port of 127.0.0.1. @throws Error after the timeout */
export async function waitForPort(port: number, timeoutMs: number): Promise<void> {
  const until = Date.now() + timeoutMs;
  while (!(await accepts(port))) {
    if (Date.now() > until) throw new Error(`Nothing listens on port ${port} after ${timeoutMs} ms`);
    await sleep(10);
  }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
