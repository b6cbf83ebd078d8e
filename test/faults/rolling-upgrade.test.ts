/** Two hosts on one database get the code of today, one after the other, from the version before, under load. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { runContracts } from '../../src/db/migrate.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, testDatabase, type TestDatabase } from '../support/postgres.ts';
import { hasWork } from '../support/queue-rows.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { deliveredIds, lostOf } from './support.ts';
import { hasCommit, Host, sendOne, sendToAll, THIS_TREE, treeOf } from './upgrade.ts';

/** The last commit of version 0.1.0. */
const BEFORE = 'e0b772a';
const OLD_EMAILS = 100_000;
/** A client that is told 503 for longer gives up. */
const PATIENCE_MS = 2_000;

/** Emails of another day, as the version before stored them. */
async function storeOldEmails({ database }: TestDatabase): Promise<void> {
  const fromMs = Date.now() - 24 * 3_600_000;
  await database.transaction().execute(async (tx) => {
    await sql`
      create temporary table old on commit drop as
      select p.id as project_id, n, to_timestamp(ms / 1000.0) as created_at, (substr(time, 1, 8) || '-' || substr(time, 9)
        || '-7' || substr(random, 1, 3) || '-8' || substr(random, 4, 3) || '-' || substr(random, 7, 12))::uuid as id
      from projects p, generate_series(1, ${OLD_EMAILS}::int) n, cast(${fromMs}::bigint + n as bigint) ms,
        lpad(to_hex(ms), 12, '0') time, md5(n::text) random
      where p.name = 'default'`.execute(tx);
    await sql`
      insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
      select project_id, id, created_at, 'a@old.test', 'a@old.test', '{b@old.test}', 'Old', '{}', 2, 2, '{0}' from old`.execute(
      tx,
    );
    await sql`
      insert into email_contents (project_id, email_id, cc, bcc, text)
      select project_id, id, '{}', '{}', 'An old one.' from old`.execute(tx);
    await sql`
      insert into recipients (project_id, email_id, n, address, octets, attempts)
      select project_id, id, 0, 'b@old.test', 1000, 1 from old`.execute(tx);
    await sql`
      insert into events (project_id, email_id, id, type)
      select project_id, id, overlay(id::text placing to_char(place, 'FM000') from 21 for 3)::uuid, type
      from old, (values (1, 'queued'), (2, 'sending'), (3, 'sent')) stages (place, type)`.execute(tx);
  });
}

test('two hosts are upgraded under load: nothing is lost, nothing goes out twice, and nobody is refused for long', {
  skip: hasCommit(BEFORE) ? false : `this clone has no commit ${BEFORE}: its history is cut short`,
}, async (t) => {
  using before = treeOf(BEFORE);
  await using server = await startSmtpServer();
  await using receiver = await startWebhookReceiver();
  await using db = await testDatabase();
  // The version before finds an empty database.
  await sql`drop schema public cascade`.execute(db.database);
  await sql`create schema public`.execute(db.database);
  const env = {
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  };
  await using one = await Host.make(env);
  await using two = await Host.make(env);
  await one.start(before.path);
  await two.start(before.path);
  const token = await one.firstKey();
  await storeOldEmails(db);
  // Not by the client, which holds all answers to the document of the first one.
  const hooked = await fetch(`${one.baseUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['email.queued', 'email.sent'] }),
  });
  assert.equal(hooked.status, 201);
  const oldId = await sendOne([one], token, 'before');

  const stopSending = new AbortController();
  const sending = sendToAll([one, two], token, stopSending.signal);
  try {
    await one.stop();
    await one.start(THIS_TREE);
    // A machine of the version before may be started again meanwhile.
    await two.stop();
    await two.start(before.path);
    await two.stop();
    await two.start(THIS_TREE);
    assert.equal(await runContracts(db.url, () => true), true);
  } finally {
    stopSending.abort();
  }
  const load = await sending;
  const slowest = Math.round(load.slowestMs);
  t.diagnostic(`${load.accepted.length} emails, the slowest after ${slowest} ms`);
  assert.ok(load.slowestMs < PATIENCE_MS, `an email was accepted after ${slowest} ms`);
  assert.ok(load.accepted.length > 0);

  assert.ok(await eventually(async () => !(await hasWork(db.database)), 60_000), one.output + two.output);
  const client = apiClient(one.baseUrl, token);
  assert.deepEqual(await lostOf(client, server, load.accepted), []);
  assert.equal(deliveredIds(server).length, load.accepted.length + 1);
  const heard = () => receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  const events = 2 * (load.accepted.length + 1);
  assert.ok(
    await eventually(() => heard().length >= events, 30_000),
    `${heard().length} of ${events} events`,
  );
  assert.equal(new Set(heard()).size, events);
  assert.equal(heard().length, events, 'nothing is told twice');
  const { body } = await client.get<{ text: string; events: { type: string }[] }>(`/v1/emails/${oldId}`);
  assert.deepEqual(
    [body.text, ...body.events.map(({ type }) => type)],
    ['It works.', 'queued', 'sending', 'sent'],
  );
});

test('what waits goes with an upgrade, and back again with the version before: each email goes out once', {
  skip: hasCommit(BEFORE) ? false : `this clone has no commit ${BEFORE}: its history is cut short`,
}, async () => {
  using before = treeOf(BEFORE);
  let isFull = true;
  await using server = await startSmtpServer({
    reply: (stage) => (stage === 'dot' && isFull ? '452 4.3.1 full' : undefined),
  });
  await using db = await testDatabase();
  await sql`drop schema public cascade`.execute(db.database);
  await sql`create schema public`.execute(db.database);
  await using host = await Host.make({
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  });
  const accepted: string[] = [];
  await host.start(before.path);
  const token = await host.firstKey();
  const send = async (): Promise<void> => {
    const count = accepted.length + 3;
    while (accepted.length < count) accepted.push(await sendOne([host], token, `${accepted.length}`));
  };
  /** Resolves when so many recipients of the table were tried once, and wait for the next time. */
  const wait = async (table: string, count: number): Promise<void> => {
    const waiting = sql`select from ${sql.table(table)} where attempts = 1 and next_attempt_at > now()`;
    const all = async () => (await waiting.execute(db.database)).rows.length === count;
    assert.ok(await eventually(all, 30_000), `${count} of ${table}: ${host.output}`);
  };
  await send();
  await wait('recipients', 3);
  await host.stop();
  await host.start(THIS_TREE);
  await send();
  await wait('queue', 6);
  await host.stop();
  await host.start(before.path);
  await send();
  await wait('recipients', 9);
  await host.stop();
  isFull = false;
  await sql`update recipients set next_attempt_at = now()`.execute(db.database);
  await host.start(before.path);
  assert.ok(await eventually(() => server.messages.length >= accepted.length, 30_000), host.output);
  const client = apiClient(host.baseUrl, token);
  assert.ok(await eventually(async () => (await lostOf(client, server, accepted)).length === 0, 10_000));
  assert.deepEqual(deliveredIds(server).toSorted(), accepted.toSorted());
});
