/** Responses of `/healthz` and `/readyz`, and of requests to send, during each fault in docs/operate/health.md, and after recovery. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { openDatabase } from '../../src/db/database.ts';
import { eventually } from '../support/eventually.ts';
import type { Patch } from '../support/patches.ts';
import { testDatabase } from '../support/postgres.ts';
import { type Service, startService } from '../support/service.ts';
import { NO_ANSWER, probe } from './probe.ts';

const RECOVERY_MS = 10_000;
/**
 * How long a fault may take to have its effect. The product makes no promise about this time: it restarts PostgreSQL after longer and
 * longer waits.
 */
const BROKEN_MS = 60_000;

const EMAIL = JSON.stringify({
  from: 'a@posthorn.localhost',
  to: ['b@dst.test'],
  subject: 'Hello',
  text: 'It works.',
});

/** The status of the response to one attempt to send an email. */
async function send({ baseUrl, token }: Pick<Service, 'baseUrl' | 'token'>): Promise<number> {
  const response = await fetch(`${baseUrl}/v1/emails`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: EMAIL,
  });
  await response.body?.cancel();
  return response.status;
}

/**
 * Asserts that the service, although its process is alive, reports that it is not ready and gives the reason, and that it then rejects
 * emails.
 * @param keepFault renews a fault that may end by itself
 */
async function assertNotReady(
  service: Service,
  reason: RegExp,
  keepFault: () => void = () => {},
): Promise<void> {
  let result = '';
  const isNotReady = await eventually(async () => {
    keepFault();
    result = await probe(service, '/readyz');
    if (!reason.test(result)) return false;
    result = `${await send(service)} ${await probe(service, '/readyz')}`;
    return result.startsWith('503 ') && reason.test(result.slice(4));
  }, RECOVERY_MS);
  assert.ok(isNotReady, result);
  assert.equal(await probe(service, '/healthz'), '200');
}

async function assertBack(service: Service): Promise<void> {
  let result = '';
  const isReady = await eventually(async () => {
    result = await probe(service, '/readyz');
    return result === '200';
  }, RECOVERY_MS);
  assert.ok(isReady, result);
  assert.equal(await probe(service, '/healthz'), '200');
  assert.equal(await send(service), 202);
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** The process that serves HTTP or the health status. */
function listeningPid(service: Service): number {
  const [pid = 0] = service
    .childPids()
    .filter((each) => /http|status/.test(readFileSync(`/proc/${each}/cmdline`, 'utf8')));
  return pid;
}

/** Writes to the end of the file until the disk is full. */
function fill(path: string): void {
  const file = openSync(path, 'a');
  for (let octets = 1 << 20; octets > 0; ) {
    try {
      if (writeSync(file, Buffer.alloc(octets)) < octets) octets >>= 1;
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC');
      octets >>= 1;
    }
  }
  closeSync(file);
}

/**
 * Patches that leave enough time for probes while PostgreSQL is gone or connections wait, and that add a route that blocks the event loop.
 */
const SLOW: readonly Patch[] = [
  { timings: 'src/process', values: { restartWaitsMs: [2_000] } },
  { timings: 'src/db', values: { lockTimeoutMs: 25_000 } },
  {
    file: 'src/doors/http/docs/routes.ts',
    append: `
      const addPages = addDocs;
      addDocs = (app, ...others) => {
        addPages(app, ...others);
        app.get('/block', () => { for (const endMs = Date.now() + 4_000; Date.now() < endMs; ); return {}; });
      };`,
  },
];

describe('an instance with an API', () => {
  let service: Service;
  before(async () => {
    service = await startService({ patches: SLOW });
  });
  after(() => service[Symbol.asyncDispose]());
  beforeEach(() => assertBack(service));

  test('an instance with an API is not ready while PostgreSQL is gone', async () => {
    process.kill(service.postgresPid(), 'SIGKILL');
    await assertNotReady(service, /^The database cannot be reached\.$/);
    await assertBack(service);
  });

  test('an instance with an API is not ready while PostgreSQL is read-only', async () => {
    const readOnly = async (value: string) => {
      await sql`alter system set default_transaction_read_only = ${sql.lit(value)}`.execute(service.database);
      await sql`select pg_reload_conf()`.execute(service.database);
    };
    await readOnly('on');
    await assertNotReady(service, /^The database is read-only\.$/).finally(() => readOnly('off'));
    await assertBack(service);
  });

  test('an instance with an API is not ready while all its database connections wait for a lock', async () => {
    const busy = new AbortController();
    const client = async () => {
      while (!busy.signal.aborted) await service.client().get('/v1/webhooks');
    };
    let clients: Promise<unknown> = Promise.resolve();
    await service.database.transaction().execute(async (tx) => {
      // Without this setting, PostgreSQL would end the connection of `service.database` after ten seconds, and with it the transaction and
      // its lock.
      await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
      await sql`lock table webhooks in access exclusive mode`.execute(tx);
      clients = Promise.all(Array.from({ length: 20 }, client));
      await assertNotReady(service, /no free connection/).finally(() => busy.abort());
    });
    await clients;
    await assertBack(service);
  });

  test('an instance with an API does not respond while its event loop is blocked', async () => {
    const blocked = fetch(`${service.baseUrl}/block`);
    assert.ok(await eventually(async () => (await probe(service, '/healthz')) === NO_ANSWER, 5_000));
    await (await blocked).body?.cancel();
    await assertBack(service);
  });

  test('an instance with an API does not respond while its process is suspended', async () => {
    const pid = listeningPid(service);
    process.kill(pid, 'SIGSTOP');
    const answers = await Promise.all(['/healthz', '/readyz'].map((path) => probe(service, path)));
    process.kill(pid, 'SIGCONT');
    assert.deepEqual(answers, [NO_ANSWER, NO_ANSWER]);
    await assertBack(service);
  });
});

describe('an instance with an API, with a new service for each test', () => {
  test('an instance with an API reports within two seconds that it is not ready while PostgreSQL hangs', async () => {
    const shortSilence: Patch = { timings: 'src/db', values: { silenceTimeoutMs: 4_000 } };
    await using service = await startService({ patches: [shortSilence] });
    await assertBack(service);
    const postmaster = service.postgresPid();
    const stopped = [postmaster, ...childrenOf(postmaster)];
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    try {
      await assertNotReady(service, /^The database does not respond\.$|^The service has no free connection/);
    } finally {
      for (const pid of stopped) process.kill(pid, 'SIGCONT');
    }
    await assertBack(service);
  });

  test('an instance with an API is not ready while the disk is full', {
    skip: process.geteuid?.() !== 0,
  }, async () => {
    const mount = mkdtempSync(join(tmpdir(), 'posthorn-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'none', mount]);
    try {
      await using service = await startService({ dataDir: join(mount, 'data') });
      await assertBack(service);
      // Open this test's connection before the disk is full, because a new connection may need disk space.
      await sql`select`.execute(service.database);
      // Read before, because PostgreSQL may exit, with its file, as soon as its log has no disk space.
      const postmaster = service.postgresPid();
      const filler = join(mount, 'filler');
      // PostgreSQL itself frees space when it removes parts of its log.
      const keepFull = () => fill(filler);
      keepFull();
      // Some emails may still fit into free space within the tables. Once many emails in a row were rejected, no table has any free space
      // left.
      const refusesMany = async (): Promise<boolean> => {
        keepFull();
        for (let count = 0; count < 20; count += 1) if ((await send(service)) !== 503) return false;
        return true;
      };
      assert.ok(await eventually(refusesMany, BROKEN_MS));
      await assertNotReady(service, /^The database's disk is full\.$/, keepFull);
      // PostgreSQL exits when its log has no disk space either, and does not start until there is disk space.
      const isGone = async (): Promise<boolean> => {
        await sql`select pg_logical_emit_message(true, 'test', ''), pg_switch_wal()`
          .execute(service.database)
          .catch(() => {});
        return !existsSync(`/proc/${postmaster}`);
      };
      assert.ok(await eventually(isGone, BROKEN_MS));
      // After three failed starts, the last health check from before the fault has expired.
      const hasFailedOften = (): boolean =>
        readFileSync(join(mount, 'data/postgres.log'), 'utf8').split('startup process failure').length > 3;
      assert.ok(await eventually(hasFailedOften, BROKEN_MS));
      await assertNotReady(service, /^The database's disk is full\.$/);
      rmSync(filler);
      await assertBack(service);
    } finally {
      execFileSync('umount', [mount]);
      rmSync(mount, { recursive: true });
    }
  });

  test('after SIGTERM an instance with an API is not ready, but finishes requests in flight', async () => {
    await using service = await startService();
    const begun = request(`${service.baseUrl}/v1/emails`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${service.token}`,
        'content-type': 'application/json',
        'content-length': EMAIL.length,
        expect: '100-continue',
      },
    });
    begun.flushHeaders();
    await once(begun, 'continue');
    service.supervisor.kill('SIGTERM');
    assert.ok(
      await eventually(async () => (await probe(service, '/readyz')) === 'The service is stopping.', 2_000),
    );
    assert.equal(await probe(service, '/healthz'), '200');
    assert.equal(await send(service), 202);
    const answered = once(begun, 'response') as Promise<[IncomingMessage]>;
    begun.end(EMAIL);
    const [response] = await answered;
    assert.equal(response.statusCode, 202);
    response.resume();
    await once(service.supervisor, 'exit');
    assert.equal(service.supervisor.exitCode, 0);
    assert.equal(await probe(service, '/readyz'), NO_ANSWER);
  });

  test('an instance with an API is ready without workers, and accepted mail waits for a worker', async () => {
    await using service = await startService({ env: { POSTHORN_ROLES: 'http' } });
    await assertBack(service);
  });
});

describe('an instance without an API', () => {
  const SECRET = 'a secret of the test, long enough';

  test('an instance without an API reports whether its worker may claim work, and serves no other paths', async () => {
    await using db = await testDatabase();
    await using service = await startService({
      env: { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'worker' },
    });
    assert.match(service.output, /Status +http:\/\/localhost:\d+\/readyz/);
    assert.equal(await probe(service, '/healthz'), '200');
    assert.ok(await eventually(async () => (await probe(service, '/readyz')) === '200', RECOVERY_MS));
    const status = async (path: string, method = 'GET') =>
      (await fetch(service.baseUrl + path, { method })).status;
    assert.equal(await status('/readyz?from=balancer', 'HEAD'), 200);
    assert.equal(await status('/readyz', 'POST'), 405);
    assert.equal(await status('/v1/emails'), 404);
    assert.equal(await status('//'), 404);
  });

  test('an instance without an API is not ready if its worker has no fresh heartbeat', async () => {
    await using db = await testDatabase();
    await using service = await startService({
      env: { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'worker' },
      patches: [{ timings: 'src/queue', values: { leaseMs: 3_000, heartbeatMs: 3_600_000 } }],
    });
    assert.ok(
      await eventually(
        async () => (await probe(service, '/readyz')) === 'The worker has no fresh heartbeat.',
        RECOVERY_MS,
      ),
    );
    assert.equal(await probe(service, '/healthz'), '200');
  });

  test('an instance without an API is not ready while the database is read-only, and recovers on its own', async () => {
    await using db = await testDatabase();
    await using service = await startService({
      env: { POSTHORN_DATABASE_URL: db.url, POSTHORN_SECRET: SECRET, POSTHORN_ROLES: 'smtp,worker' },
    });
    const name = sql.id(new URL(db.url).pathname.slice(1));
    const readOnly = async (value: string) => {
      // Run all statements over one connection, because they end every other connection.
      const admin = openDatabase(db.url, { poolSize: 1 });
      await admin.connection().execute(async (connection) => {
        await sql`set default_transaction_read_only = off`.execute(connection);
        await sql`alter database ${name} set default_transaction_read_only = ${sql.lit(value)}`.execute(
          connection,
        );
        await sql`
          select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`.execute(connection);
      });
      await admin.destroy();
    };
    const becomes = (result: string) =>
      eventually(async () => (await probe(service, '/readyz')) === result, RECOVERY_MS);
    assert.ok(await becomes('200'));
    await readOnly('on');
    assert.ok(await becomes('The database is read-only.'));
    assert.equal(await probe(service, '/healthz'), '200');
    await readOnly('off');
    assert.ok(await becomes('200'));
  });
});
