import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, isIPv6, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { listenAt } from './listen.ts';

const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
const hasIpv6 = own.some(({ address }) => address === '::1');
/** An IPv4 address of this machine that is not a loopback address. */
const outside = own.find(({ internal, family }) => !internal && family === 'IPv4')?.address;

const greeter = (): Server => createServer((socket) => socket.end('hello'));

async function greeting(address: string, port: number): Promise<string> {
  const socket = connect(port, address);
  try {
    return await text(socket);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

const cases: [addresses: string[], answer: string[], silent: string[]][] = [
  [
    ['127.0.0.1', '::1'],
    ['127.0.0.1', '::1'],
    ['outside', '127.0.0.2'],
  ],
  [['::1', '127.0.0.1', '127.0.0.2'], ['127.0.0.1', '127.0.0.2', '::1'], ['outside']],
  [['::1'], ['::1'], ['outside']],
  [['0.0.0.0'], ['127.0.0.1', 'outside'], ['::1']],
  [['0.0.0.0', '127.0.0.1', '::1'], ['127.0.0.1', '::1', 'outside'], []],
  [['::'], ['127.0.0.1', '::1', 'outside'], []],
  [['0.0.0.0', '::', '::1', '127.0.0.1'], ['127.0.0.1', '::1', 'outside'], []],
];
for (const [addresses, answer, silent] of cases) {
  test(`${addresses}: listens on one port at ${answer} only`, async () => {
    const { port, close } = await listenAt(greeter(), { addresses, port: 0 });
    const reach = (name: string) => (name === 'outside' ? outside : name);
    for (const [names, expected] of [
      [answer, 'hello'],
      [silent, 'ECONNREFUSED'],
    ] as const) {
      for (const address of names.map(reach)) {
        if (address === undefined || (isIPv6(address) && !hasIpv6)) continue;
        assert.equal(await greeting(address, port), expected, address);
      }
    }
    await close();
    assert.equal(await greeting('127.0.0.1', port), 'ECONNREFUSED');
  });
}

test('a port in use at one address is an error that names the address, and the port is released at the other addresses', async () => {
  const occupied = createServer().listen(0, '127.0.0.2');
  await once(occupied, 'listening');
  const { port } = occupied.address() as { port: number };
  const listenAddress = { addresses: ['127.0.0.1', '127.0.0.2'], port };
  await assert.rejects(listenAt(greeter(), listenAddress), {
    code: 'EADDRINUSE',
    address: '127.0.0.2',
    port,
  });
  assert.equal(await greeting('127.0.0.1', port), 'ECONNREFUSED');
  occupied.close();
});

test('an address that this machine does not have is an error that names the address', async () => {
  const listenAddress = { addresses: ['127.0.0.1', '192.0.2.1'], port: 0 };
  await assert.rejects(listenAt(greeter(), listenAddress), { code: 'EADDRNOTAVAIL', address: '192.0.2.1' });
});

test('close waits for responses to clients at every address', async () => {
  const { promise: requested, resolve: ask } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const server = createHttpServer(async (_request, response) => {
    ask();
    await answered;
    response.setHeader('connection', 'close').end('late');
  });
  const { port, close } = await listenAt(server, { addresses: ['127.0.0.1', '127.0.0.2'], port: 0 });
  const socket = connect(port, '127.0.0.2');
  socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n');
  const answering = text(socket);
  await requested;
  let isClosed = false;
  const closing = close().then(() => {
    isClosed = true;
  });
  assert.equal(await greeting('127.0.0.2', port), 'ECONNREFUSED');
  assert.equal(isClosed, false);
  answer();
  assert.match(await answering, /late/);
  await closing;
});
