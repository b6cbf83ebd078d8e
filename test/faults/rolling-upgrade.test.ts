/** Upgrades hosts that share a database to a made-up next version under load, one host after the other, and back to this version. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../src/db/database.ts';
import { runContracts } from '../../src/db/migrate.ts';
import { parseMigration, readMigrations } from '../../src/db/migration-files.ts';
import { apiClient } from '../support/api-client.ts';
import { eventually } from '../support/eventually.ts';
import { SECRET, emptyDatabase, type TestDatabase } from '../support/postgres.ts';
import { hasWork } from '../support/queue-rows.ts';
import { startWebhookReceiver } from '../support/webhook-receiver.ts';
import { startSmtpServer } from '../support/smtp-server.ts';
import { deliveredIds, lostOf } from './support.ts';
import { Host, NEXT_VERSION, nextTree, sendOne, sendToAll, THIS_TREE } from './upgrade.ts';

/** The migrations of the next version: one of each kind, on tables that the load writes to all the time. */
const EXPAND = {
  '9997-next-columns.sql': `
    alter table emails add column next_note text not null default '';
    alter table queue add column next_tries int;`,
  '9998-next-index.sql': `-- migration: one by one
    create index concurrently if not exists queue_next on queue (next_tries);
    update email_contents set text = text where email_id in (select email_id from email_contents limit 1000);`,
};
const CONTRACT = {
  '9999-next-contract.sql': `-- migration: serves from ${NEXT_VERSION}
    drop index queue_next;
    alter table queue drop column next_tries;`,
};
const NEXT = { ...EXPAND, ...CONTRACT };
const OLD_EMAILS = 100_000;
/** How long a statement of the service may wait for a lock that a migration holds. */
const LOCK_WAIT_MS = 2_000;
const SAMPLE_MS = 50;

/** Stores emails that were created a day ago. */
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
      insert into email_recipients (project_id, email_id, recipient_index, address)
      select project_id, id, 0, 'b@old.test' from old`.execute(tx);
    await sql`
      insert into events (project_id, email_id, id, type)
      select project_id, id, overlay(id::text placing to_char(place, 'FM000') from 21 for 3)::uuid, type
      from old, (values (1, 'queued'), (2, 'sending'), (3, 'sent')) stages (place, type)`.execute(tx);
  });
}

/** Samples how long statements have been waiting for a lock. @returns the longest wait, in milliseconds */
async function longestLockWait(database: Database, until: AbortSignal): Promise<number> {
  let longestMs = 0;
  while (!until.aborted) {
    const { rows } = await sql<{ ms: number }>`
      select coalesce(max(extract(epoch from clock_timestamp() - waitstart) * 1000), 0)::float8 as ms from pg_locks
      where not granted and locktype <> 'advisory'
        and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(database);
    longestMs = Math.max(longestMs, rows[0]?.ms ?? 0);
    await sleep(SAMPLE_MS);
  }
  return longestMs;
}

function nextMigrations() {
  return [...readMigrations(), ...Object.entries(NEXT).map(([name, text]) => parseMigration(name, text))];
}

test('while two hosts are upgraded, no email is lost or sent twice, and no statement waits long for a migration', async (t) => {
  using next = nextTree(NEXT);
  await using server = await startSmtpServer();
  await using receiver = await startWebhookReceiver();
  await using db = await emptyDatabase();
  const env = {
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  };
  await using one = await Host.make(env);
  await using two = await Host.make(env);
  await one.start(THIS_TREE);
  await two.start(THIS_TREE);
  const token = await one.firstKey();
  await storeOldEmails(db);
  // Use fetch, because the API client validates responses against the document of this version.
  const created = await fetch(`${one.baseUrl}/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['email.queued', 'email.sent'] }),
  });
  assert.equal(created.status, 201);
  const oldId = await sendOne([one], token, 'before');

  const stopSending = new AbortController();
  const sending = sendToAll([one, two], token, stopSending.signal);
  const waiting = longestLockWait(db.database, stopSending.signal);
  try {
    await one.stop();
    await one.start(next.path);
    // A machine may be restarted with this version while the other machine runs the next version.
    await two.stop();
    await two.start(THIS_TREE);
    await two.stop();
    await two.start(next.path);
    // Try again, because the row of a process may remain for a moment after the process has ended.
    const isAll = () => runContracts(db.url, () => true, { migrations: nextMigrations() });
    assert.ok(await eventually(isAll, 30_000), 'a process of this version is still registered');
  } finally {
    stopSending.abort();
  }
  await one.stop();
  // This version can no longer start, because the next version has removed a column that this version needs.
  await assert.rejects(one.start(THIS_TREE), /it supports 999\.0\.0 and later versions/);
  await one.start(next.path);
  const load = await sending;
  const slowest = Math.round(load.slowestMs);
  const waitMs = Math.round(await waiting);
  // Only the lock wait has a limit, because the time that an email takes depends on the machine.
  t.diagnostic(
    `${load.accepted.length} emails, the slowest after ${slowest} ms; the longest wait for a lock ${waitMs} ms`,
  );
  assert.ok(waitMs < LOCK_WAIT_MS, `a statement waited ${waitMs} ms for a lock`);
  assert.ok(load.accepted.length > 0);

  assert.ok(await eventually(async () => !(await hasWork(db.database)), 60_000), one.output + two.output);
  const client = apiClient(one.baseUrl, token);
  assert.deepEqual(await lostOf(client, server, load.accepted), []);
  assert.equal(deliveredIds(server).length, load.accepted.length + 1);
  const receivedIds = () => receiver.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  const events = 2 * (load.accepted.length + 1);
  assert.ok(
    await eventually(() => receivedIds().length >= events, 30_000),
    `${receivedIds().length} of ${events} events`,
  );
  assert.equal(new Set(receivedIds()).size, events);
  assert.equal(receivedIds().length, events, 'an event was delivered twice');
  const { body } = await client.get<{ text: string; events: { type: string }[] }>(`/v1/emails/${oldId}`);
  assert.deepEqual(
    [body.text, ...body.events.map(({ type }) => type)],
    ['It works.', 'queued', 'sending', 'sent'],
  );
});

test('deferred mail survives an upgrade and a downgrade, and each email is sent once', async () => {
  using next = nextTree(NEXT);
  let isFull = true;
  await using server = await startSmtpServer({
    reply: (stage) => (stage === 'dot' && isFull ? '452 4.3.1 full' : undefined),
  });
  await using db = await emptyDatabase();
  await using host = await Host.make({
    POSTHORN_DATABASE_URL: db.url,
    POSTHORN_SECRET: SECRET,
    POSTHORN_PROVIDER: 'smtp',
    POSTHORN_SMTP_URL: `smtp://127.0.0.1:${server.port}`,
  });
  const accepted: string[] = [];
  await host.start(THIS_TREE);
  const token = await host.firstKey();
  const send = async (): Promise<void> => {
    const count = accepted.length + 3;
    while (accepted.length < count) accepted.push(await sendOne([host], token, `${accepted.length}`));
  };
  /** Resolves once `count` recipients have had one delivery attempt and are deferred. */
  const wait = async (count: number): Promise<void> => {
    const waiting = sql`select from queue where attempts = 1 and next_attempt_at > now()`;
    const all = async () => (await waiting.execute(db.database)).rows.length === count;
    assert.ok(await eventually(all, 30_000), `${count}: ${host.output}`);
  };
  await send();
  await wait(3);
  await host.stop();
  await host.start(next.path);
  await send();
  await wait(6);
  await host.stop();
  await host.start(THIS_TREE);
  await send();
  await wait(9);
  await host.stop();
  isFull = false;
  await sql`update queue set next_attempt_at = now()`.execute(db.database);
  await host.start(THIS_TREE);
  assert.ok(await eventually(() => server.messages.length >= accepted.length, 30_000), host.output);
  const client = apiClient(host.baseUrl, token);
  assert.ok(await eventually(async () => (await lostOf(client, server, accepted)).length === 0, 10_000));
  assert.deepEqual(deliveredIds(server).toSorted(), accepted.toSorted());
});
