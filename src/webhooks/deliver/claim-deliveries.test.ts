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
import { newUuid } from '../../model/ids.ts';
import { endLease } from '../../queue/end-lease.ts';
import { Lease } from '../../queue/lease.ts';
import { type ClaimedDelivery, claimDeliveries, giveBack } from './claim-deliveries.ts';
import { settleDeliveries, type SettledDelivery } from './settle-deliveries.ts';

const db = await sealedDatabase();
const { sealer } = db;
const lease = await Lease.begin(db.database, newUuid(), 'test', 'deliveries');
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
    asked: true,
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

test('a batch with an answer of each kind leaves the webhook healthy', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 2);
  const [first, second] = [await claimOne(webhook), await claimOne(webhook)];
  await settleDeliveries(db.database, [answered(first, 'pending'), answered(second, 'delivered')]);
  const { lastSuccessAt, lastFailureAt, failingSince } = await webhookRow(db.database, webhook);
  assert.ok(lastSuccessAt instanceof Date && lastFailureAt instanceof Date);
  assert.equal(failingSince, null);
});

test('a worker whose claim ran out writes nothing', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  const late = await claimOne(webhook);
  await makeDue(db.database, webhook);
  const current = await claimOne(webhook);
  assert.deepEqual([late.attempt, current.attempt], [1, 2]);
  await settleDeliveries(db.database, [answered(late, 'failed')]);
  await giveBack(db.database, [late]);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.httpStatus], ['pending', 2, null]);
  await settleDeliveries(db.database, [answered(current, 'delivered')]);
  await settleDeliveries(db.database, [answered(late, 'failed')]);
  assert.equal((await deliveriesOf(db.database, webhook))[0]?.status, 'delivered');
});

test('a claim is over after 45 s, and an attempt that died with its worker counts', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await claimOne(webhook);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.equal(Number(row?.nextAttemptAt) - Number(row?.lastAttemptAt), 45_000);
  await makeDue(db.database, webhook);
  assert.equal((await claimOne(webhook)).attempt, 2);
});

test('when the worker died in the last attempt the delivery has failed', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await setAttempts(db.database, webhook, 11);
  assert.equal((await claimOne(webhook)).attempt, 12);
  await makeDue(db.database, webhook);
  assert.deepEqual(await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]), []);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.status, row?.attempts, row?.nextAttemptAt], ['failed', 12, null]);
});

test('what is given back is due at once and was never attempted', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  await giveBack(db.database, [await claimOne(webhook)]);
  const [row] = await deliveriesOf(db.database, webhook);
  assert.deepEqual([row?.attempts, row?.lastAttemptAt], [0, null]);
  assert.equal((await claimOne(webhook)).attempt, 1);
});

test('workers that claim at once share the deliveries without one in common', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 40);
  const claims = await Promise.all(
    Array.from({ length: 4 }, () => claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 10 }])),
  );
  const ids = claims.flat().map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test('what a live lease holds nobody else takes, though the claim is over; once the lease is over it is taken', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  const other = await Lease.begin(db.database, newUuid(), 'other', 'deliveries');
  other.stop();
  const [held] = await claimDeliveries(db.database, other.leaseId, [{ ...webhook, limit: 1 }]);
  await makeDue(db.database, webhook);
  assert.deepEqual(await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]), []);
  await endLease(db.database, other.leaseId, 'dead', async () => {});
  const [taken] = await claimDeliveries(db.database, lease.leaseId, [{ ...webhook, limit: 1 }]);
  assert.deepEqual([taken?.id, taken?.attempt], [held?.id, 2]);
});

test('nothing is claimed under a lease that is over', async () => {
  const webhook = await newWebhook(db.database, sealer);
  await acceptEmails(db.database, webhook.projectId, 1);
  assert.deepEqual(await claimDeliveries(db.database, newUuid(), [{ ...webhook, limit: 1 }]), []);
  assert.equal((await claimOne(webhook)).attempt, 1);
});
