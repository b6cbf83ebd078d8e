/** The responses of `/readyz` while a port of the instance is not open. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-ports.ts';
import type { Patch } from '../support/patches.ts';
import { testDatabase } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { NO_ANSWER, probe } from './probe.ts';

const PATIENCE_MS = 30_000;
const SECRET = 'a secret of the test, long enough';
const NOT_OPEN = 'A mail port is not open.';

const folder = mkdtempSync(join(tmpdir(), 'posthorn-listening-'));
const [gate, reached] = [join(folder, 'gate'), join(folder, 'reached')];
after(() => rmSync(folder, { recursive: true }));
beforeEach(() => close());

function open(): void {
  writeFileSync(gate, '');
}

function close(): void {
  rmSync(gate, { force: true });
  rmSync(reached, { force: true });
}

/** Delays the start of the SMTP listener until the gate is open. */
const GATED: readonly Patch[] = [
  {
    file: 'src/app/smtp-role.ts',
    append: `
      import { existsSync, writeFileSync } from 'node:fs';
      const startRole = startSmtpRole;
      startSmtpRole = async (context) => {
        writeFileSync('${reached}', '');
        while (!existsSync('${gate}')) await new Promise((resolve) => { setTimeout(resolve, 20); });
        return startRole(context);
      };`,
  },
  { cores: 3 },
];

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

const becomes = (service: Pick<Service, 'baseUrl'>, result: string) =>
  eventually(async () => (await probe(service, '/readyz')) === result, PATIENCE_MS);

/** Starts an instance, and opens the gate once its probe returns `before`. */
async function startGated(env: Record<string, string>, before: string): Promise<void> {
  const [http, smtp] = [await freePort(), await freePort()];
  const starting = startService({
    env: { ...env, POSTHORN_HTTP_PORT: String(http), POSTHORN_SMTP_PORT: String(smtp) },
    patches: GATED,
  });
  const status = { baseUrl: `http://127.0.0.1:${http}` };
  try {
    assert.ok(await eventually(() => existsSync(reached), PATIENCE_MS));
    assert.ok(await becomes(status, before));
    open();
    assert.ok(await becomes(status, '200'));
    assert.ok(await accepts(smtp));
  } finally {
    open();
    await (await starting)[Symbol.asyncDispose]();
  }
}

test('an instance with an API does not respond before its SMTP port is open', () =>
  startGated({}, NO_ANSWER));

test('an instance without an API is not ready until its SMTP process is listening', async () => {
  await using db = await testDatabase();
  const env = { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'smtp,worker' };
  await startGated(env, NOT_OPEN);
});

test('an instance without an API is not ready while its SMTP process is gone, and recovers on its own', async () => {
  await using db = await testDatabase();
  open();
  await using service = await startService({
    env: { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'smtp,worker' },
    patches: GATED,
  });
  assert.ok(await becomes(service, '200'));
  close();
  const [listener = 0] = service
    .childPids()
    .filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('posthorn: smtp'));
  process.kill(listener, 'SIGKILL');
  assert.ok(await becomes(service, NOT_OPEN));
  open();
  assert.ok(await becomes(service, '200'));
});
