// A process of its own: its database is older than that of the others.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { sealedDatabase } from '../../../test/support/postgres.ts';
import { acceptEmails, deliveriesOf, newWebhook, type TestWebhook } from '../../../test/support/webhooks.ts';
import { migrate, runContracts } from '../../db/migrate.ts';
import { readMigrations } from '../../db/migration-files.ts';
import { newUuid } from '../../model/ids.ts';
import { claimDeliveries } from './claim-deliveries.ts';
import { takeOver } from './older-code.ts';

const db = await sealedDatabase();
const { database, sealer } = db;
after(() => db[Symbol.asyncDispose]());

await sql`drop schema public cascade`.execute(database);
await sql`create schema public`.execute(database);
// As the code of now finds the database of older code that still runs.
await migrate(db.url, { migrations: readMigrations().filter(({ servesFrom }) => servesFrom === null) });

const LIVE = newUuid();
const GONE = newUuid();
await sql`insert into workers (epoch, heartbeat_at, name, holds) values (${LIVE}, now(), 'older', 'deliveries')`.execute(
  database,
);

/** A delivery as older code leaves it. @param dueIn an interval of PostgreSQL */
async function leave(
  { projectId, webhookId }: TestWebhook,
  attempts: number,
  dueIn: string,
  epoch: string | null,
) {
  const id = newUuid();
  await sql`
    insert into webhook_deliveries (project_id, webhook_id, id, event_id, email_id, type, attempts, next_attempt_at, epoch, http_status)
    values (${projectId}, ${webhookId}, ${id}, ${newUuid()}, ${newUuid()}, 'email.sent', ${attempts}, now() + ${dueIn}::interval, ${epoch},
      ${attempts === 0 ? null : 503})`.execute(database);
  return id;
}

/** Which of its deliveries are due in the way of now, and which in that of older code. */
async function places({ webhookId }: TestWebhook): Promise<{ now: string[]; older: string[] }> {
  const idsOf = async (table: string) => {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(table)} where webhook_id = ${webhookId} order by id`.execute(database);
    return rows.map(({ id }) => id);
  };
  return { now: await idsOf('due_deliveries'), older: await idsOf('deliveries') };
}

async function beat(version: string): Promise<void> {
  await sql`
    insert into processes (id, host, name, roles, version, connections, clock_ahead_ms, heartbeat_at)
    values (${newUuid()}, 'mx', 'worker', '{worker}', ${version}, 1, 0, now())`.execute(database);
}

test('what older code left is taken over with what became of it; what a worker of it is at is left to it', async () => {
  const webhook = await newWebhook(database, sealer);
  const fresh = await leave(webhook, 0, '-1 second', null);
  const putOff = await leave(webhook, 3, '1 hour', null);
  const held = await leave(webhook, 1, '-1 second', LIVE);
  const abandoned = await leave(webhook, 2, '-1 second', GONE);
  const answering = await leave(webhook, 1, '30 seconds', GONE);
  assert.equal(await takeOver(database), true);
  assert.deepEqual(await places(webhook), { now: [fresh, putOff, abandoned], older: [held, answering] });
  const row = (await deliveriesOf(database, webhook)).find(({ id }) => id === putOff);
  assert.deepEqual([row?.status, row?.attempts, row?.httpStatus], ['pending', 3, 503]);
  await sql`
    insert into webhook_deliveries (project_id, webhook_id, id, event_id, email_id, type, status)
    values (${webhook.projectId}, ${webhook.webhookId}, ${newUuid()}, ${newUuid()}, ${newUuid()}, 'email.sent', 'delivered')`.execute(
    database,
  );
  await takeOver(database);
  assert.equal((await places(webhook)).older.length, 3);
});

test('several webhooks are looked through, and workers that take over at once take each delivery once', async () => {
  const webhooks = [await newWebhook(database, sealer), await newWebhook(database, sealer)];
  const left = await Promise.all(
    webhooks.flatMap((webhook) => [0, 1, 2].map(() => leave(webhook, 0, '0', null))),
  );
  await Promise.all([takeOver(database), takeOver(database), takeOver(database)]);
  await takeOver(database);
  const found = await Promise.all(webhooks.map(places));
  assert.deepEqual(found.flatMap(({ now }) => now).toSorted(), left.toSorted());
  assert.deepEqual(
    found.flatMap(({ older }) => older),
    [],
  );
});

test('older code gets back what is due once no process of now lives beside it, and not what is claimed by a live one', async () => {
  const webhook = await newWebhook(database, sealer);
  await acceptEmails(database, webhook.projectId, 2);
  const [claimed] = await claimDeliveries(database, LIVE, [{ ...webhook, limit: 1 }]);
  const ids = (await places(webhook)).now;
  await beat('0.2.0');
  await beat('0.1.0');
  assert.deepEqual(await places(webhook), { now: ids, older: [] });
  await sql`delete from processes`.execute(database);
  await beat('0.1.0');
  const others = ids.filter((id) => id !== claimed?.id);
  assert.deepEqual(await places(webhook), { now: [claimed?.id], older: others });
  const { rows } = await sql<{ isDue: boolean }>`
    select next_attempt_at <= now() and status = 'pending' and epoch is null as is_due from webhook_deliveries
    where webhook_id = ${webhook.webhookId}`.execute(database);
  assert.deepEqual(rows, [{ isDue: true }]);
  await sql`delete from processes`.execute(database);
});

test('the last of it is taken over when what older code needs is taken away, and then there is nothing to look for', async () => {
  const webhook = await newWebhook(database, sealer);
  const id = await leave(webhook, 1, '1 hour', null);
  assert.equal(await runContracts(db.url, () => true), true);
  assert.deepEqual(await places(webhook), { now: [id], older: [] });
  assert.equal(await takeOver(database), false);
  const { rows } = await sql`select from deliveries where status = 'pending'`.execute(database);
  assert.equal(rows.length, 0);
});
