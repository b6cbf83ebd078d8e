// Runs in its own process: it counts all events of the process.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, beforeEach, suite, test } from 'node:test';
import { sql } from 'kysely';
import { queueEmails } from '../../test/support/emails.ts';
import { parseExposition } from '../../test/support/exposition.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import {
  claimRows,
  emptyQueue,
  setSomeDue,
  setStream,
  silenceWorkers,
} from '../../test/support/queue-rows.ts';
import { newDomain, newProject } from '../../test/support/projects.ts';
import { insertDelivery } from '../../test/support/webhooks.ts';
import { type Database, openDatabase } from '../db/database.ts';
import { newUuid } from '../model/ids.ts';
import { instanceRegistry } from '../observe/registry.ts';
import { closeDestination, parkUnstarted } from '../queue/destinations.ts';
import { recordBackup } from '../installation/backup/record-backup.ts';
import { Lease } from '../queue/lease.ts';
import { markingInFlight } from '../queue/settle.ts';
import { createKey } from '../domains/dkim-key.ts';
import { HOSTED_PROJECT_ID } from '../domains/hosted.ts';
import { ensureServiceDomain, recordServiceMailDomain } from '../domains/service-domain.ts';
import { readStateOfSender } from '../domains/service-mail-state.ts';
import { DAY_MS } from '../model/day.ts';
import { backupSource } from './backup-source.ts';
import { diskSource } from './disk-source.ts';
import { queueSource } from './queue-source.ts';
import { serviceMailSource } from './service-mail-source.ts';
import { serverSource } from './server-source.ts';
import { webhookSource } from './webhook-source.ts';

let db: Awaited<ReturnType<typeof sealedDatabase>>;
let lease: Lease;
before(async () => {
  db = await sealedDatabase();
});
beforeEach(async () => {
  await emptyQueue(db.database);
  lease = await Lease.begin(db.database, newUuid(), 'test');
});
after(() => db[Symbol.asyncDispose]());
// Stop the timer of the lease, which would keep the test process alive.
afterEach(() => lease.stop());

const expose = async () => parseExposition(await instanceRegistry.metrics());

suite('the queue', () => {
  test('is counted by recipient and state', async () => {
    const { database } = db;
    await queueEmails(database, 30);
    const claimed = await claimRows(database, lease.leaseId, 10);
    const held = markingInFlight(lease.leaseId, claimed.slice(0, 4));
    await sql`with ${held.sql} select from ${held.name}`.execute(database);
    await parkUnstarted(database, lease.leaseId, claimed.slice(4, 7), 'dst.test');
    await setSomeDue(database, '1 hour', 5);
    await setSomeDue(database, '-10 minutes', 2);
    await closeDestination(database, 'away.test', 0, 60_000, {});
    await closeDestination(database, 'live.test from bad.example', 0, 60_000, {});
    await queueSource.read(database);

    const { sum } = await expose();
    const states = ['in_flight', 'held', 'parked', 'waiting', 'due'].map((state) =>
      sum('posthorn_queue_recipients', { state }),
    );
    assert.deepEqual(states, [4, 3, 3, 5, 15]);
    const oldest = sum('posthorn_queue_oldest_due_seconds');
    assert.ok(oldest >= 600 && oldest < 660, `${oldest}`);
    assert.equal(sum('posthorn_queue_destinations', { state: 'backlog' }), 1);
    assert.equal(sum('posthorn_queue_destinations', { state: 'failing' }), 1);
    assert.equal(sum('posthorn_queue_destinations', { state: 'refusing' }), 1);
  });

  test('does not report claimed rows as late', async () => {
    await queueEmails(db.database, 3);
    await setSomeDue(db.database, '-10 minutes', 3);
    assert.equal((await claimRows(db.database, lease.leaseId, 10)).length, 3);
    await queueSource.read(db.database);
    assert.equal((await expose()).sum('posthorn_queue_oldest_due_seconds'), 0);
  });

  test('does not report mail with a priority boost as late', async () => {
    await queueEmails(db.database, 3);
    await setSomeDue(db.database, '-1 hour', 3);
    await setStream(db.database, 'mailbox');
    await queueSource.read(db.database);
    assert.ok((await expose()).sum('posthorn_queue_oldest_due_seconds') < 600);
  });

  test('counts only workers with a fresh heartbeat', async () => {
    const silent = await Lease.begin(db.database, newUuid(), 'silent');
    silent.stop();
    await silenceWorkers(db.database, silent.leaseId);
    await queueSource.read(db.database);
    assert.equal((await expose()).sum('posthorn_queue_workers'), 1);
  });

  test('is counted with index-only scans, so that a long queue is not read row by row', async () => {
    await queueEmails(db.database, 1_000);
    await sql`vacuum (analyze) queue`.execute(db.database);
    const own = openDatabase(db.url, { poolSize: 1 });
    const readsBefore = await fullReads(own);
    await queueSource.read(own);
    assert.equal(await fullReads(own), readsBefore);
    await own.destroy();
  });
});

/** The number of queue rows that were read without an index. */
async function fullReads(database: Database): Promise<string | undefined> {
  await sql`select pg_stat_force_next_flush()`.execute(database);
  const { rows } = await sql<{ read: string }>`
    select sum(seq_tup_read) as read from pg_stat_user_tables where relname = 'queue'`.execute(database);
  return rows[0]?.read;
}

suite('webhook deliveries', () => {
  test('are counted while pending, with the age of the oldest due delivery', async () => {
    const rows = [
      ['pending', -20],
      ['pending', -1],
      ['pending', 60],
      ['delivered', null],
      ['failed', null],
    ] as const;
    for (const [status, minutes] of rows) {
      const nextAttemptAt = minutes === null ? null : new Date(Date.now() + minutes * 60_000);
      const key = { projectId: newUuid(), webhookId: newUuid() };
      await insertDelivery(db.database, key, { status, nextAttemptAt });
    }
    await webhookSource.read(db.database);
    const { sum } = await expose();
    assert.equal(sum('posthorn_webhook_deliveries', { state: 'due' }), 2);
    assert.equal(sum('posthorn_webhook_deliveries', { state: 'waiting' }), 1);
    const oldest = sum('posthorn_webhook_oldest_due_seconds');
    assert.ok(oldest >= 1_200 && oldest < 1_260, `${oldest}`);
  });

  test('have an age of 0 if no delivery is due', async () => {
    await webhookSource.read(db.database);
    assert.equal((await expose()).sum('posthorn_webhook_oldest_due_seconds'), 0);
  });
});

suite('the server', () => {
  test('has series with plausible values', async () => {
    await serverSource.read(db.database);
    const { sum } = await expose();
    assert.equal(sum('posthorn_database_up'), 1);
    assert.ok(sum('posthorn_database_size_bytes') > 1_000_000);
    assert.equal(sum('posthorn_database_max_connections'), 200);
    assert.ok(sum('posthorn_database_connections', { state: 'active' }) >= 1);
    assert.ok(sum('posthorn_database_transactions_total', { end: 'commit' }) > 0);
    assert.equal(sum('posthorn_database_deadlocks_total'), 0);
    for (const table of ['queue', 'emails', 'due_deliveries'])
      assert.ok(sum('posthorn_database_dead_rows', { table }) >= 0);
  });

  test('returns the age of the oldest transaction, and the number of connections in a transaction', async () => {
    const before = await db.database.transaction().execute(async (tx) => {
      await sql`select 1`.execute(tx);
      await sql`select pg_sleep(0.2)`.execute(tx);
      await serverSource.read(db.database);
      return expose();
    });
    assert.ok(before.sum('posthorn_database_oldest_transaction_seconds') >= 0.2);
    assert.ok(before.sum('posthorn_database_connections', { state: 'idle_in_transaction' }) >= 1);
  });

  test('shows the totals of the server, no matter how often they are read', async () => {
    await serverSource.read(db.database);
    await serverSource.read(db.database);
    const { sum } = await expose();
    const { rows } = await sql<{ commits: number }>`
      select xact_commit::float8 as commits from pg_stat_database where datname = current_database()`.execute(
      db.database,
    );
    const shown = sum('posthorn_database_transactions_total', { end: 'commit' });
    assert.ok(shown <= (rows[0]?.commits ?? 0), `${shown}`);
  });

  test('is reported as down, without other series, once its metrics are marked as unknown', async () => {
    await serverSource.read(db.database);
    serverSource.withdraw();
    const { series, sum } = await expose();
    assert.equal(sum('posthorn_database_up'), 0);
    const others = series.filter(({ name }) => name.startsWith('posthorn_database_'));
    assert.deepEqual(
      others.map(({ name }) => name),
      ['posthorn_database_up'],
    );
  });
});

suite('backups', () => {
  const LAST = 'posthorn_backup_last_success_timestamp_seconds';
  const MADE_AT = '2026-11-20T15:04:05.123Z';

  test('have no series before the first backup', async () => {
    await backupSource.read(db.database);
    assert.ok(!(await expose()).series.some(({ name }) => name === LAST));
  });

  test('show the time of the latest successful backup', async () => {
    await recordBackup(db.url, MADE_AT);
    await recordBackup(db.url, '2026-11-19T15:04:05.123Z');
    await backupSource.read(db.database);
    assert.equal((await expose()).sum(LAST), Date.parse(MADE_AT) / 1_000);
    backupSource.withdraw();
    assert.ok(!(await expose()).series.some(({ name }) => name === LAST));
  });
});

suite('service mail', () => {
  const source = serviceMailSource((database) => readStateOfSender(database, { environment: 'production' }));
  const NAME = 'service.example';
  /** The name of the state whose series has the value 1. */
  const state = async () => {
    await source.read(db.database);
    const { series } = await expose();
    const found = series.filter(({ name, value }) => name === 'posthorn_service_mail' && value === 1);
    return found.map(({ labels }) => labels['state']).join();
  };
  const set = (projectId: string, values: object) =>
    db.database
      .updateTable('domains')
      .set(values)
      .where('projectId', '=', projectId)
      .where('name', '=', NAME)
      .execute();

  test('has no series before a start has recorded its sender', async () => {
    await source.read(db.database);
    assert.ok(!(await expose()).series.some(({ name }) => name === 'posthorn_service_mail'));
  });

  test('is stopped without keys or a verified domain, and ready if a project has a domain to copy', async () => {
    await recordServiceMailDomain(db.database, NAME);
    assert.equal(await state(), 'stopped');
    const projectId = await newProject(db.database);
    const domainId = await newDomain(db.database, projectId, NAME, { status: 'verified' });
    const key = await createKey(db.sealer, { projectId, domainId, selector: 'ph1' }, 'ed25519-sha256');
    await db.database.insertInto('dkimKeys').values(key).execute();
    assert.equal(await state(), 'ready');
    await ensureServiceDomain(db.database, db.sealer, NAME, false);
    assert.equal(await state(), 'ready');
    await set(projectId, { status: 'warning', warningSince: new Date() });
    assert.equal(await state(), 'at_risk');
    await db.database.deleteFrom('domains').where('projectId', '=', projectId).execute();
    assert.equal(await state(), 'ready');
  });

  test('is at risk and later stopped if the DNS records of a domain with its own keys are missing', async () => {
    await db.database.updateTable('serviceDomains').set({ hasOwnKeys: true }).execute();
    assert.equal(await state(), 'ready');
    await set(HOSTED_PROJECT_ID, { status: 'warning', warningSince: new Date() });
    assert.equal(await state(), 'at_risk');
    await set(HOSTED_PROJECT_ID, { warningSince: new Date(Date.now() - 4 * DAY_MS) });
    assert.equal(await state(), 'stopped');
    await set(HOSTED_PROJECT_ID, { status: 'pending', warningSince: null });
    assert.equal(await state(), 'stopped');
    source.withdraw();
    assert.ok(!(await expose()).series.some(({ name }) => name === 'posthorn_service_mail'));
  });
});

suite('the disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-disk-'));
  after(() => rmSync(folder, { recursive: true }));

  test('is measured for the data folder, and for an embedded PostgreSQL', async () => {
    mkdirSync(join(folder, 'postgres'));
    await diskSource({ dataDir: folder, databaseUrl: null }).read();
    const { sum, valuesOf } = await expose();
    assert.deepEqual([...valuesOf('posthorn_disk_free_bytes', 'holds')], ['data', 'database']);
    for (const holds of ['data', 'database']) {
      const free = sum('posthorn_disk_free_bytes', { holds });
      assert.ok(free > 0 && free < sum('posthorn_disk_size_bytes', { holds }), `${holds}: ${free}`);
    }
  });

  test('is not measured for an external PostgreSQL', async () => {
    const source = diskSource({ dataDir: folder, databaseUrl: 'postgres://db.acme.example/posthorn' });
    source.withdraw();
    await source.read();
    assert.deepEqual([...(await expose()).valuesOf('posthorn_disk_free_bytes', 'holds')], ['data']);
  });
});
