import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/support/eventually.ts';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { startWebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { acceptEmails, deliveriesOf, newWebhook, startSender } from '../../../test/support/webhooks.ts';
import { openDatabase } from '../../db/database.ts';
import { GuardedClient } from '../../net/guarded-client.ts';

const timings = { claimMs: 500 };

const db = await sealedDatabase();
const { sealer } = db;
const database = openDatabase(db.url, { lockTimeoutMs: 50 });
after(async () => {
  await database.destroy();
  await db[Symbol.asyncDispose]();
});

test('a response that was not written before its claim expired is written when the database is back, and the event is not sent again', async () => {
  await using receiver = await startWebhookReceiver();
  await using real = new GuardedClient({ allowLoopback: true, maxConnectionsPerOrigin: 10 });
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  await acceptEmails(db.database, webhook.projectId, 5);
  const isAway = Promise.withResolvers<void>();
  const client: Pick<GuardedClient, 'post'> = {
    post: async (url, request) => {
      const result = await real.post(url, request);
      await isAway.promise;
      return result;
    },
  };
  await using _sender = await startSender(database, { client, timings });
  await receiver.waitFor(1);
  await using other = await startSender(database, { client, timings });
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table due_deliveries, leases in access exclusive mode`.execute(tx);
    isAway.resolve();
    const isClaimOver = async () => {
      const { rows } = await sql<{ isOver: boolean }>`
        select bool_and(next_attempt_at < clock_timestamp()) as is_over from due_deliveries
        where webhook_id = ${webhook.webhookId} and attempts > 0`.execute(tx);
      return rows[0]?.isOver === true;
    };
    assert.ok(await eventually(isClaimOver, 5_000));
    other.wake();
  });
  assert.ok(
    await eventually(async () => {
      const rows = await deliveriesOf(db.database, webhook);
      return rows.every(({ status }) => status === 'delivered');
    }, 10_000),
  );
  const rows = await deliveriesOf(db.database, webhook);
  assert.deepEqual(new Set(rows.map(({ attempts }) => attempts)), new Set([1]));
  assert.equal(receiver.received.length, 5);
});

test('a delivery is attempted again if the database rejects its response, and other deliveries are not affected', async () => {
  await using receiver = await startWebhookReceiver();
  const webhook = await newWebhook(db.database, sealer, { url: receiver.url });
  const [first] = await acceptEmails(db.database, webhook.projectId, 3);
  const rejected = sql.lit(first?.emailId);
  await sql`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no' using errcode = '22000'; end $$`.execute(
    db.database,
  );
  await sql`
    create trigger refuse before insert on deliveries for each row
    when (new.email_id = ${rejected} and new.status = 'delivered' and new.attempts = 1) execute function refuse()`.execute(
    db.database,
  );
  await using _sender = await startSender(database, { timings });
  assert.ok(
    await eventually(async () => {
      const rows = await deliveriesOf(db.database, webhook);
      return rows.every(({ status }) => status === 'delivered');
    }, 10_000),
  );
  const rows = await deliveriesOf(db.database, webhook);
  assert.deepEqual(
    rows.map(({ emailId, attempts }) => [emailId === first?.emailId, attempts]),
    [
      [true, 2],
      [false, 1],
      [false, 1],
    ],
  );
});
