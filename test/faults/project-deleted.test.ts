/** Deletes a project while all processes are killed repeatedly. In the end none of its data is left, and its users lose access at once. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { beginSession } from '../../src/accounts/sessions.ts';
import { createUser } from '../../src/accounts/users.ts';
import { addMember } from '../../src/accounts/members/memberships.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import type { ObjectName } from '../../src/blobs/object-store.ts';
import { encodeId } from '../../src/model/ids.ts';
import { insertEmails } from '../../src/sending/accept/insert-emails.ts';
import { posthornProcess } from '../support/cli.ts';
import { newEmail } from '../support/emails.ts';
import { eventually } from '../support/eventually.ts';
import { ImapClient } from '../support/imap/client.ts';
import { randomFrom } from '../support/imap/random.ts';
import { serviceMailbox } from '../support/imap/service-mailbox.ts';
import { outboundMessage, relayTo } from '../support/relay-to.ts';
import { type Service, startService } from '../support/service.ts';
import { SHORT_LEASE } from './support.ts';

const PATCHES = [
  ...SHORT_LEASE,
  {
    timings: 'src/retention',
    values: { scanMs: 500, pauseMs: 10, lateRequestMs: 500, blobsMs: 0, unusedMs: 0, objectsMs: 0 },
  } as const,
  { timings: 'src/blobs', values: { strayMs: 10_000 } } as const,
];
const ACCEPTED = { outcome: 'accepted', reply: { replyCode: 250 } };
const EMAILS = 2_000;
const KILLS = 2;
/** After this time no more processes are killed, because each start is slow on a busy machine. */
const KILLING_MS = 20_000;
const PATIENCE_MS = 60_000;
/** A text that is too large to be stored in a row. */
const LARGE = 'x'.repeat(2 * 1024 * 1024);

/** Delivers a message, as another server does. */
async function deliver(service: Service, to: string, text: string) {
  await using sender = relayTo(service.smtpPort, {});
  const data = Buffer.from(
    `From: b@dst.test\r\nTo: ${to}\r\nSubject: Hi\r\nMessage-ID: <${Math.random()}@dst.test>\r\n\r\n${text.replaceAll(/.{70}/g, '$&\r\n')}\r\n`,
  );
  return await sender.send(outboundMessage({ mailFrom: 'b@dst.test', rcptTo: to, data }));
}

async function projectOf(service: Service): Promise<string> {
  const { id } = await service.database
    .selectFrom('projects')
    .select('id')
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow();
  return id;
}

const deleteNow = (service: Service) =>
  posthornProcess({ POSTHORN_DATA: service.dataDir }, 'project', 'delete', '--project', 'default', '--yes');

/**
 * The number of rows of a project in each table. Leaves out the audit log, which records the deletion, and the project's addresses of the
 * hosted domain, which stay reserved so that no other project can get them.
 */
async function rowsOf({ database }: Service, projectId: string): Promise<Map<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and c.relname not in ('audit_log', 'past_holders')`.execute(database);
  const counts = new Map<string, number>();
  for (const { name } of tables) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(name)} where project_id = ${projectId}`.execute(
      database,
    );
    if (rows[0]?.count) counts.set(name, rows[0].count);
  }
  return counts;
}

const total = (rows: ReadonlyMap<string, number>) =>
  [...rows.values()].reduce((sum, count) => sum + count, 0);

/** The large messages of a project that are stored as files. */
async function objectsOf({ dataDir }: Service, projectId: string): Promise<ObjectName[]> {
  const found: ObjectName[] = [];
  for await (const name of new ObjectFiles(join(dataDir, 'blobs')).list(projectId)) found.push(name);
  return found;
}

async function killAll(service: Service): Promise<Service> {
  await service.kill();
  return startService({ dataDir: service.dataDir, patches: PATCHES });
}

test('no data of a deleted project is left, even if the service is killed repeatedly during the deletion', async (t) => {
  const startMs = performance.now();
  let service = await startService({ patches: PATCHES });
  try {
    const projectId = await projectOf(service);
    const { user } = await serviceMailbox(service, 'anna');
    for (const text of ['small', LARGE])
      assert.partialDeepStrictEqual(await deliver(service, user, text), ACCEPTED);
    await service.client().post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events: ['email.queued'] });
    await insertEmails(
      service.database,
      Array.from({ length: EMAILS }, () => newEmail({ projectId })),
    );
    assert.notDeepEqual(await objectsOf(service, projectId), []);
    const seed = Math.floor(Math.random() * 2 ** 31);
    t.diagnostic(`seed ${seed}`);
    const random = randomFrom(seed);

    // As long as the project exists, a kill may cancel the deletion, which then has to be requested again.
    const first = deleteNow(service);
    await wait(random.below(4_000));
    service = await killAll(service);
    await first;
    if ((await rowsOf(service, projectId)).has('api_keys')) assert.equal((await deleteNow(service)).code, 0);

    // Once the project is gone, the deletion of its data continues after each kill without a further request.
    for (let kill = 0; kill < KILLS && (kill === 0 || performance.now() - startMs < KILLING_MS); kill++) {
      const before = total(await rowsOf(service, projectId));
      t.diagnostic(`${before} rows are left`);
      if (before === 0) break;
      const isLess = async () => total(await rowsOf(service, projectId)) < before;
      assert.ok(await eventually(isLess, PATIENCE_MS));
      await wait(random.below(300));
      service = await killAll(service);
    }
    const isGone = async () =>
      total(await rowsOf(service, projectId)) === 0 && (await objectsOf(service, projectId)).length === 0;
    const isDone = await eventually(isGone, PATIENCE_MS);
    assert.ok(isDone, JSON.stringify([...(await rowsOf(service, projectId))]));
  } finally {
    await service[Symbol.asyncDispose]();
  }
});

test('users of a deleted project lose access within seconds, and mail for it is rejected at once', async () => {
  await using service = await startService({ patches: PATCHES });
  const { baseUrl, database, imapPort } = service;
  const projectId = await projectOf(service);
  const { user, password } = await serviceMailbox(service, 'anna');
  using app = await ImapClient.signIn({ host: '127.0.0.1', port: imapPort, user, password });
  await app.command('SELECT INBOX');
  const signedIn = await fetch(`${baseUrl}/mail/api/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: baseUrl },
    body: JSON.stringify({ address: user, password }),
  });
  const { account } = (await signedIn.json()) as { account: { mailbox: string } };
  const owner = await newOwner(database);
  const answers = async (path: string, cookie: string) =>
    (await fetch(`${baseUrl}${path}`, { headers: { cookie } })).status;
  const webClient = () =>
    answers(
      `/mail/api/mailboxes/${account.mailbox}/folders`,
      signedIn.headers
        .getSetCookie()
        .map((line) => line.split(';')[0])
        .join('; '),
    );
  const dashboard = () =>
    answers(`/dashboard/api/projects/${encodeId('prj', projectId)}/settings`, `posthorn_session=${owner}`);
  assert.deepEqual([await webClient(), await dashboard()], [200, 200]);
  assert.partialDeepStrictEqual(await deliver(service, user, 'early'), ACCEPTED);

  const { code, stderr } = await deleteNow(service);
  assert.equal(code, 0, stderr);
  const late = await deliver(service, user, 'late');
  assert.partialDeepStrictEqual(late, {
    outcome: 'permanent',
    reply: { replyCode: 550, enhancedCode: '5.1.1' },
  });
  const isOut = async () =>
    (await webClient()) === 401 &&
    (await dashboard()) === 404 &&
    (await app.command('NOOP').then(
      () => false,
      () => true,
    ));
  assert.ok(await eventually(isOut, 10_000));
  assert.equal((await service.client().get('/v1/emails')).status, 401);
});

/** @returns the token of a dashboard session */
async function newOwner(database: Service['database']): Promise<string> {
  const { organizationId } = await database
    .selectFrom('projects')
    .select('organizationId')
    .where('name', '=', 'default')
    .executeTakeFirstOrThrow();
  const user = { email: 'ada@acme.example', name: 'Ada', passwordHash: null, isOperator: false };
  const id = await database.transaction().execute(async (tx) => {
    const userId = await createUser(tx, user);
    await addMember(tx, organizationId, userId, { role: 'owner', seesBodies: false });
    return userId;
  });
  return (await beginSession(database, id, { address: '192.0.2.1', userAgent: 'test' })).token;
}
