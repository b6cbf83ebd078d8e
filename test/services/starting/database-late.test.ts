/**
 * Starts without a database. A start waits while its problem is temporary. If the problem is not temporary, the start ends and names the
 * reason.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { eventually } from '../../support/eventually.ts';
import { FREE_PORTS, freePort } from '../../support/free-ports.ts';
import { networkTo } from '../../support/network.ts';
import { emptyDatabase, SECRET, sealedDatabase } from '../../support/postgres.ts';
import { startService } from '../../support/service.ts';

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const CLI = fileURLToPath(new URL('../../../src/doors/cli/main.ts', import.meta.url));
const PATIENCE_MS = 60_000;
const AWAY = {
  POSTHORN_DATABASE_URL: 'postgres://posthorn@127.0.0.1:1/none',
  POSTHORN_SECRET: SECRET,
  POSTHORN_DATA: '/dev/null/nowhere',
};

async function probe(port: number, path: string): Promise<{ status: number; text: string } | null> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, text: await response.text() };
  } catch {
    return null;
  }
}

test('a start waits for its database, and reports the wait at /healthz and /readyz', async () => {
  await using db = await emptyDatabase();
  await using network = await networkTo(db.url);
  network.isClosing = true;
  const port = await freePort();
  const starting = startService({
    env: {
      POSTHORN_DATABASE_URL: network.url,
      POSTHORN_SECRET: SECRET,
      POSTHORN_HTTP_PORT: String(port),
    },
  });
  // Wait for the start to end before the database is disposed of, even if an assertion fails.
  const started = starting.catch((error: unknown) => error);
  try {
    assert.ok(await eventually(async () => (await probe(port, '/healthz'))?.status === 200, PATIENCE_MS));
    const ready = await probe(port, '/readyz');
    assert.equal(ready?.status, 503);
    assert.match(ready.text, /"type":"\/errors\/unavailable".*"detail":"The database cannot be reached\."/);
    assert.equal((await probe(port, '/v1/emails'))?.status, 503);
    assert.ok(await eventually(() => network.connections >= 3, PATIENCE_MS));
  } finally {
    network.isClosing = false;
    await started;
  }
  await using service = await starting;
  assert.equal(service.baseUrl, `http://localhost:${port}`);
  assert.equal((await probe(port, '/readyz'))?.status, 200);
  assert.match(service.output, /svc_live_/);
});

test('a start whose database becomes unavailable after the migrations waits again, and shows the first key', async () => {
  await using db = await sealedDatabase();
  await using network = await networkTo(db.url);
  const port = await freePort();
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const { promise: isLocked, resolve: locked } = Promise.withResolvers<void>();
  // Roles begin with a row in `processes`, so this lock makes the roles wait.
  const holding = db.database.transaction().execute(async (tx) => {
    // Disable the idle timeout of transactions, because a start on a busy machine may take longer.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    await sql`lock table processes in access exclusive mode`.execute(tx);
    locked();
    await isReleased;
  });
  await isLocked;
  const starting = startService({
    env: {
      POSTHORN_DATABASE_URL: network.url,
      POSTHORN_SECRET: SECRET,
      POSTHORN_HTTP_PORT: String(port),
    },
  });
  const started = starting.catch((error: unknown) => error);
  const isStartingRoles = async () => {
    const { rows } = await sql`
      select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'processes'
        and datname = current_database()`.execute(db.database);
    return rows.length > 0;
  };
  try {
    assert.ok(await eventually(isStartingRoles, PATIENCE_MS));
    network.isClosing = true;
    network.cut();
    assert.ok(await eventually(async () => (await probe(port, '/healthz'))?.status === 200, PATIENCE_MS));
    assert.equal((await probe(port, '/readyz'))?.status, 503);
  } finally {
    release();
    await holding;
    network.isClosing = false;
    await started;
  }
  await using service = await starting;
  assert.ok(await eventually(async () => (await probe(port, '/readyz'))?.status === 200, PATIENCE_MS));
  assert.match(service.output, /svc_live_/);
});

test('a start that waits for its database ends cleanly at SIGTERM', async () => {
  const waiting = spawn(process.execPath, [MAIN], { env: { ...process.env, ...FREE_PORTS, ...AWAY } });
  let output = '';
  waiting.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  waiting.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  assert.ok(await eventually(() => output.includes('waiting for the database'), PATIENCE_MS), output);
  assert.match(output, /ECONNREFUSED/);
  waiting.kill('SIGTERM');
  assert.deepEqual(await once(waiting, 'exit'), [0, null]);
});

test('a start with a wrong secret ends with exit code 78, for which the systemd unit has no restart', async () => {
  await using db = await sealedDatabase();
  const { status, stderr } = spawnSync(process.execPath, [MAIN], {
    env: {
      ...process.env,
      ...FREE_PORTS,
      POSTHORN_DATABASE_URL: db.url,
      POSTHORN_SECRET: 'another secret of the tests',
      POSTHORN_DATA: '/dev/null/nowhere',
    },
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  assert.equal(status, 78);
  assert.match(stderr, /POSTHORN_SECRET does not match/);
});

test('a command does not wait for the database, and reports the problem', () => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'project', 'list'], {
    env: { ...process.env, ...AWAY },
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
  assert.equal(status, 1);
  assert.match(stderr, /The database cannot be reached: connect ECONNREFUSED/);
});
