import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { createSecureContext, type SecureContext } from 'node:tls';
import { pino } from 'pino';
import { testCertificate } from '../../test/support/tls/certificate.ts';
import { listenAt } from '../doors/tcp/listen.ts';
import type { RoleContext } from './role-context.ts';
import { openSecurePort } from './secure-port.ts';

/** A role whose certificate becomes available when the test calls `arrive`. */
function role() {
  const arriving = Promise.withResolvers<void>();
  const logged = Promise.withResolvers<Record<string, unknown>>();
  const logger = pino(
    { level: 'info' },
    { write: (line: string) => logged.resolve(JSON.parse(line) as Record<string, unknown>) },
  );
  let context: SecureContext | null = null;
  const stack = new AsyncDisposableStack();
  const certificates = { secureContext: () => context, available: arriving.promise };
  return {
    context: { stack, certificates, logger } as unknown as RoleContext,
    logged: logged.promise,
    arrive() {
      context = createSecureContext(testCertificate);
      arriving.resolve();
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function openPort(port = 0) {
  const { close, ...listening } = await listenAt(createServer(), { addresses: ['127.0.0.1'], port });
  return { ...listening, [Symbol.asyncDispose]: close };
}

test('a TLS port is opened at once if there is a certificate', async () => {
  await using secured = role();
  secured.arrive();
  assert.ok(Number(await openSecurePort(secured.context, 'imaps', openPort)) > 0);
});

test('a TLS port is opened when a certificate becomes available', async () => {
  await using secured = role();
  let opened = 0;
  const open = () => {
    opened += 1;
    return openPort();
  };
  assert.equal(await openSecurePort(secured.context, 'imaps', open), null);
  assert.equal(opened, 0);
  secured.arrive();
  const { name, port } = await secured.logged;
  assert.equal(name, 'imaps');
  const taken = createServer().listen(port as number, '127.0.0.1');
  assert.equal(((await once(taken, 'error')) as [NodeJS.ErrnoException])[0].code, 'EADDRINUSE');
  await secured[Symbol.asyncDispose]();
  taken.listen(port as number, '127.0.0.1');
  await once(taken, 'listening');
  taken.close();
});

test('a TLS port that another program uses is logged, and opened once the port is free', async () => {
  const other = await openPort();
  await using secured = role();
  const reopened = Promise.withResolvers<void>();
  const open = async () => {
    const opened = await openPort(other.port);
    reopened.resolve();
    return opened;
  };
  assert.equal(await openSecurePort(secured.context, 'imaps', open, { portAgainMs: 20 }), null);
  secured.arrive();
  assert.equal((await secured.logged).msg, 'a port could not be opened');
  await other[Symbol.asyncDispose]();
  await reopened.promise;
});

test('a TLS port that stays in use does not keep the role from ending', async () => {
  await using other = await openPort();
  await using secured = role();
  const timings = { portAgainMs: 60_000 };
  await openSecurePort(secured.context, 'imaps', () => openPort(other.port), timings);
  secured.arrive();
  await secured.logged;
});

test('a role that ends before a certificate is available opens no TLS port', async () => {
  const secured = role();
  assert.equal(await openSecurePort(secured.context, 'imaps', () => assert.fail('opened')), null);
  await secured[Symbol.asyncDispose]();
  secured.arrive();
  await new Promise(setImmediate);
});
