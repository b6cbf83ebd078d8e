/** Several machines on one database: each limit applies to all machines together. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { TIMINGS } from '../../src/db/timings.ts';
import { startDnsServer } from '../support/dns-server.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, testDatabase } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { postEmails, queueIsEmpty } from './support.ts';

/** Within this time, other machines must get the share of a machine that died. */
const GONE_WITHIN_MS = 10_000;
const PATIENCE_MS = 20_000;
const CORES = { cores: 4 } as const;

/** Resolves once a number of workers run, and each worker has read the rows of all other workers. */
async function untilKnown(database: Database, count: number): Promise<void> {
  const workers = () =>
    database
      .selectFrom('processes')
      .select('heartbeatAt')
      .where(sql<boolean>`'worker' = any(roles)`)
      .execute();
  assert.ok(await eventually(async () => (await workers()).length === count, PATIENCE_MS));
  // Each heartbeat reads the rows of all workers. After its second heartbeat, a worker has received the result of the first one.
  for (let beats = 0; beats < 2; beats += 1) {
    const sinceMs = Date.now();
    const haveBeaten = async () =>
      (await workers()).every(({ heartbeatAt }) => heartbeatAt.getTime() > sinceMs);
    assert.ok(await eventually(haveBeaten, PATIENCE_MS));
  }
}

test('two machines share the rate of an API key, and within 10 s of the death of one the other has the full rate', async () => {
  await using db = await testDatabase();
  const env = {
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_ROLES: 'http',
    POSTHORN_RATE_LIMIT: '100',
  };
  await using one = await startService({ env });
  await using two = await startService({ env });
  const limitOf = async () =>
    Number((await one.client().get('/v1/templates')).headers.get('ratelimit-limit'));
  assert.ok(await eventually(async () => (await limitOf()) === 500, 5_000));
  const pids = [...two.childPids(), two.supervisor.pid ?? 0];
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  assert.ok(await eventually(async () => (await limitOf()) === 1_000, 2 * GONE_WITHIN_MS));
  assert.ok(TIMINGS.expiryMs + TIMINGS.beatMs < GONE_WITHIN_MS);
});

for (const [title, provider, limit] of [
  ['a smart host', 'smtp', 4],
  ['a destination', 'direct', 2],
] as const) {
  test(`six workers on two machines send all mail to ${title} over no more connections than its limit`, async () => {
    let most = 0;
    await using server = await startSmtpServer({
      reply: () => {
        most = Math.max(most, server.openConnections);
        return undefined;
      },
    });
    await using dns = await startDnsServer({
      'dst.test': { MX: ['10 mx.dst.test'] },
      'mx.dst.test': { A: ['127.0.0.1'] },
    });
    await using db = await testDatabase();
    await using stack = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-hosts-'));
    stack.defer(() => rmSync(folder, { recursive: true }));
    const shaping = join(folder, 'shaping.yaml');
    writeFileSync(shaping, `default: { max_connections: ${limit} }\n`);
    const env = {
      POSTHORN_DATABASE_URL: db.url,
      POSTHORN_SECRET: SECRET,
      POSTHORN_PROVIDER: provider,
      POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
      POSTHORN_SMTP_CONNECTIONS: String(limit),
      POSTHORN_SHAPING: shaping,
      POSTHORN_DNS: dns.address,
      POSTHORN_MX_PORT: String(server.port),
      POSTHORN_HOSTNAME: 'mx.sender.test',
    };
    const one = stack.use(await startService({ env, patches: [CORES] }));
    stack.use(await startService({ env: { ...env, POSTHORN_ROLES: 'worker' }, patches: [CORES] }));
    // Send some emails first: until all workers have read each other's rows, a worker may use more than its share.
    await postEmails(one, { count: 100 });
    assert.ok(await queueIsEmpty(one, 60_000));
    await untilKnown(one.database, 6);
    assert.ok(await eventually(() => server.openConnections <= limit, PATIENCE_MS));
    most = 0;
    const { accepted } = await postEmails(one, { count: 400 });
    assert.ok(await queueIsEmpty(one, 60_000));
    assert.equal(accepted.length, 400);
    assert.equal(server.messages.length, 500);
    assert.ok(most > 0 && most <= limit, `${most} connections`);
  });
}
