import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { startWebhookReceiver } from '../../test/support/webhook-receiver.ts';
import { acceptEmails, newWebhook, startSender, type TestWebhook } from '../../test/support/webhooks.ts';
import { type ActivitySpan, activityOf, forgetActivity } from './activity.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

async function activity({ projectId, webhookId }: TestWebhook, span: ActivitySpan = '24h') {
  const found = (await activityOf(database, projectId, [webhookId], span)).get(webhookId);
  assert.ok(found !== undefined);
  return found;
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

async function count(
  { projectId, webhookId }: TestWebhook,
  hoursAgo: number,
  delivered: number,
  failed: number,
) {
  await sql`
    insert into webhook_activity (project_id, webhook_id, hour, delivered, failed)
    values (${projectId}, ${webhookId}, date_trunc('hour', now(), 'UTC') - ${hoursAgo}::int * interval '1 hour', ${delivered}, ${failed})`.execute(
    database,
  );
}

test('each attempt counts once, by its outcome, in the hour of the attempt', async () => {
  const statuses = [500, 200, 503];
  await using receiver = await startWebhookReceiver({
    answer: () => ({ status: statuses.shift() ?? 200 }),
  });
  const webhook = await newWebhook(database, sealer, { url: receiver.url });
  await using sender = await startSender(database);
  await acceptEmails(database, webhook.projectId, 5);
  sender.wake();
  await receiver.waitFor(5);
  const isCounted = async () => {
    const { delivered, failed } = await activity(webhook);
    return sum(delivered) === 3 && sum(failed) === 2;
  };
  assert.ok(await eventually(isCounted, 10_000));
});

test('a span contains a count for each step, and ends with the current hour or day', async () => {
  const webhook = await newWebhook(database, sealer);
  await count(webhook, 0, 1, 2);
  await count(webhook, 23, 10, 0);
  await count(webhook, 24, 100, 0);
  const day = await activity(webhook);
  assert.deepEqual(
    [day.delivered.length, day.delivered.at(-1), day.failed.at(-1), day.delivered[0]],
    [24, 1, 2, 10],
  );
  const week = await activity(webhook, '7d');
  assert.deepEqual([week.delivered.length, sum(week.delivered), sum(week.failed)], [168, 111, 2]);
  const month = await activity(webhook, '30d');
  assert.deepEqual([month.delivered.length, sum(month.delivered), month.step_seconds], [30, 111, 86_400]);
  assert.equal(new Date(month.since).getUTCHours(), 0);
});

test('the counts of a webhook are not visible to another project', async () => {
  const webhook = await newWebhook(database, sealer);
  await count(webhook, 0, 1, 1);
  const { projectId } = await newWebhook(database, sealer);
  assert.equal(sum((await activity({ ...webhook, projectId })).delivered), 0);
});

test('counts that are too old for every chart are deleted', async () => {
  const webhook = await newWebhook(database, sealer);
  await count(webhook, 31 * 24, 1, 1);
  await count(webhook, 33 * 24, 1, 1);
  await forgetActivity(database);
  const { rows } = await sql<{ left: number }>`
    select count(*)::int as left from webhook_activity where webhook_id = ${webhook.webhookId}`.execute(
    database,
  );
  assert.deepEqual(rows, [{ left: 1 }]);
});
