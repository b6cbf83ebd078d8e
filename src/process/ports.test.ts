import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { test } from 'node:test';
import { readConfig } from '../app/config.ts';
import { checkPorts } from './ports.ts';

/** A port of this machine that another program uses. */
async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, [Symbol.dispose]: () => void server.close() };
}

/** No default ports, because a service that runs on this machine may use them. */
const PORTS = {
  POSTHORN_HTTP_PORT: '0',
  POSTHORN_SMTP_PORT: '0',
  POSTHORN_SUBMISSION_PORT: '0',
  POSTHORN_IMAP_PORT: '0',
  POSTHORN_POP3_PORT: '0',
};
const check = (env: Record<string, string>, portPatienceMs = 100) =>
  checkPorts(readConfig({ ...PORTS, ...env }), { portPatienceMs });

const refusals: [what: string, env: (port: string) => Record<string, string>, says: RegExp][] = [
  [
    'a port of the API that is in use',
    (port) => ({ POSTHORN_HTTP_PORT: port }),
    /^Port \d+ is in use .* Set POSTHORN_HTTP_PORT/,
  ],
  [
    'a port of posthorn dev that is in use',
    (port) => ({ POSTHORN_DEV_SMTP_PORT: port }),
    /^Port \d+ is in use .* Set --smtp-port/,
  ],
  [
    'a port for reports that is in use',
    (port) => ({ POSTHORN_SMTP_PORT: port }),
    /^Port \d+ is in use .* Set POSTHORN_SMTP_PORT/,
  ],
  [
    'a port that is in use at one address of all',
    (port) => ({ POSTHORN_HTTP_PORT: port, POSTHORN_LISTEN: '::' }),
    /^Port \d+ is in use/,
  ],
  [
    'one port for two listeners',
    () => ({ POSTHORN_HTTP_PORT: '8025', POSTHORN_SMTP_PORT: '8025' }),
    /^POSTHORN_HTTP_PORT and POSTHORN_SMTP_PORT are both 8025\./,
  ],
  [
    'an address of another machine',
    () => ({ POSTHORN_LISTEN: '192.0.2.1' }),
    /^This machine has no address 192\.0\.2\.1 .* Set POSTHORN_LISTEN/,
  ],
];
for (const [what, env, says] of refusals) {
  test(`${what} is an error that names the variable to change`, async () => {
    using taken = await takenPort();
    await assert.rejects(check(env(String(taken.port))), { name: 'StartupError', message: says });
  });
}

test('a port that this instance does not use may be in use by another program', async () => {
  using taken = await takenPort();
  const port = String(taken.port);
  await check({ POSTHORN_SMTP_PORT: port, POSTHORN_ROLES: 'http,worker' });
  await check({
    POSTHORN_SMTP_PORT: port,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://localhost:${port}`,
  });
});

test('a port that is released within the waiting time passes the check', async () => {
  const taken = await takenPort();
  const checking = check({ POSTHORN_HTTP_PORT: String(taken.port) }, 10_000);
  taken[Symbol.dispose]();
  await checking;
});
