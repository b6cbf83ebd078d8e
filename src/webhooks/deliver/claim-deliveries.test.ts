import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import {
  acceptEmails,
  deliveriesOf,
  makeDue,
  newWebhook,
  setAttempts,
  type TestWebhook,
  webhookRow,
} from '../../../test/support/webhooks.ts';
import { type Database, openDatabase } from '../../db/database.ts';
import { newUuid } from '../../model/ids.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';
import { type ClaimedDelivery, claimDeliveries, releaseClaims } from './claim-deliveries.ts';
import { DUE_WEBHOOKS, findDue } from './find-due.ts';
import { settleDeliveries, type SettledDelivery } from './settle-deliveries.ts';

const db = await sealedDatabase();
const { sealer } = db;
const lease = await Lease.begin(db.database, newUuid(), 'test', { rowKind: 'deliveries' });
after(async () => {
  lease.stop();
  await db[Symbol.asyncDispose]();
});

async function claimOne(webhook: TestWebhook) {
  const [claimed] = await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]);
  if (claimed === undefined) throw new Error('nothing is due');
  return claimed;
}

function answered(attempt: ClaimedDelivery, status: SettledDelivery['status']): SettledDelivery {
  return {
    ...attempt,
    status,
    delayMs: status === 'pending' ? 30_000 : null,
    wasRequested: true,
    httpStatus: status === 'delivered' ? 200 : 500,
    error: null,
    durationMs: 1,
    responseBody: '',
    responseTruncated: false,
  };
}

test('a webhook that failed for less than 5 days stays enabled', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await sql`update webhooks set failing_since = now() - interval '119 hours' where id = ${webhook.webhookId}`.execute(
    db.database,
  );
  await acceptEmails(db.database, webhook.projectId, 1);
  const claimed = await claimOne(webhook);
  await settleDeliveries(db.database, [answered(claimed, 'pending')]);
  assert.equal((await webhookRow(db.database, webhook)).enabled, true);
});

test('a batch with a failure and a success leaves the webhook healthy', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 2);
  const [first, second] = [await claimOne(webhook), await claimOne(webhook)];
  await settleDeliveries(db.database, [answered(first, 'pending'), answered(second, 'delivered')]);
  const { lastSuccessAt, lastFailureAt, failingSince } = await webhookRow(db.database, webhook);
  assert.ok(lastSuccessAt instanceof Date && lastFailureAt instanceof Date);
  assert.equal(failingSince, null);
});

test('a worker whose claim expired writes nothing', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  const late = await claimOne(webhook);
  await makeDue(db.database, webhook);
  const current = await claimOne(webhook);
  assert.deepEqual([late.attempt, current.attempt], [1, 2]);
  await settleDeliveries(db.database, [answered(late, 'failed')]);
  await releaseClaims(db.database, [late]);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.httpStatus], ['pending', 2, null]);
  await settleDeliveries(db.database, [answered(current, 'delivered')]);
  await settleDeliveries(db.database, [answered(late, 'failed')]);
  assert.equal((await deliveriesOf(db.database, webhook))[0]?.status, 'delivered');
});

test('a claim expires after 45 s, and an attempt whose worker died counts as an attempt', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await claimOne(webhook);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.equal(Number(row?.nextAttemptAt) - Number(row?.lastAttemptAt), 45_000);
  await makeDue(db.database, webhook);
  assert.equal((await claimOne(webhook)).attempt, 2);
});

test('a delivery whose worker died in the last attempt is marked as failed', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await setAttempts(db.database, webhook, 11);
  assert.equal((await claimOne(webhook)).attempt, 12);
  await makeDue(db.database, webhook);
  assert.deepEqual(await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]), []);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.nextAttemptAt], ['failed', 12, null]);
});

test('a released delivery is due immediately, and its attempt does not count', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await releaseClaims(db.database, [await claimOne(webhook)]);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.attempts, row?.lastAttemptAt], [0, null]);
  assert.equal((await claimOne(webhook)).attempt, 1);
});

test('concurrent workers never claim the same delivery', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 40);
  const claims = await Promise.all(
    Array.from({ length: 4 }, () => claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 10 }])),
  );
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('deliveries of a live lease are not claimed under another lease until the lease has ended, even if their claims expired', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  const other = await Lease.begin(db.database, newUuid(), 'other', { rowKind: 'deliveries' });
  other.stop();
  const [claimed] = await claimDeliveries(db.database, other.leaseId, [{ ...webhook, limit: 1 }]);
  await makeDue(db.database, webhook);
  assert.deepEqual(await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]), []);
  await endLease(db.database, other.leaseId, 'dead', async () => {});
  const [reclaimed] = await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]);
  assert.deepEqual([reclaimed?.id, reclaimed?.attempt], [claimed?.id, 2]);
});

test('nothing is claimed under an expired lease', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  assert.deepEqual(await claimDeliveries(db.database, newUuid(), [{ ...webhook, limit: 1 }]), []);
  assert.equal((await claimOne(webhook)).attempt, 1);
});

test('a claim from a backlog reads hardly more than the claimed rows, even without statistics in PostgreSQL', async () => {
  const webhook = await newWebhook(db.database, sealer);
  const { projectId, webhookId } = webhook;
  await using database = openDatabase(db.url, { poolSize: 1 });
  const claimSome = async () => {
    await findDue(database, DUE_WEBHOOKS, null);
    const claimed = await claimDeliveries(database, lease.leaseId, [{ ...webhook, limit: 60 }]);
    const ends = claimed
      .slice(0, 40)
      .map((attempt, at) => answered(attempt, at < 20 ? 'delivered' : 'pending'));
    await settleDeliveries(database, ends);
    await releaseClaims(database, claimed.slice(40));
    return claimed.length;
  };
  await acceptEmails(db.database, projectId, 300);
  await claimSome();
  await db.database.deleteFrom('dueDeliveries').execute();
  await sql`vacuum (analyze) due_deliveries`.execute(db.database);
  // Claims several times, because PostgreSQL reuses the plan of a statement only after a few executions.
  for (let times = 0; times < 10; times++) {
    await acceptEmails(db.database, projectId, 1);
    await claimSome();
  }
  await sql`
    insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, next_attempt_at)
    select ${projectId}, ${webhookId}, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'email.sent', now()
    from generate_series(1, 10000)`.execute(db.database);
  const readsBefore = await rowsRead(database);
  assert.equal(await claimSome(), 60);
  const read = (await rowsRead(database)) - readsBefore;
  assert.ok(read < 1_000, `${read} rows were read`);
});

/** The number of rows and index entries of `due_deliveries` that were read. */
async function rowsRead(database: Database): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(database);
  const { rows } = await sql<{ read: number }>`
    select (seq_tup_read + (select sum(idx_tup_read) from pg_stat_user_indexes i where i.relid = t.relid))::float8 as read
    from pg_stat_user_tables t where relname = 'due_deliveries'`.execute(database);
  return rows[0]?.read ?? NaN;
}
