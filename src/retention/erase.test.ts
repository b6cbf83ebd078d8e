import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { pino } from 'pino';
import { newEmail, queueEmailWith } from '../../test/support/emails.ts';
import { claimRows } from '../../test/support/queue-rows.ts';
import { sealedDatabase } from '../../test/support/postgres.ts';
import { eventually } from '../../test/support/eventually.ts';
import { newAlias, newMessage } from '../../test/support/mail.ts';
import { newProject, newShop } from '../../test/support/projects.ts';
import { Blobs } from '../blobs/blobs.ts';
import { ObjectFiles } from '../blobs/object-files.ts';
import { newWebhook } from '../../test/support/webhooks.ts';
import { FairReads } from '../db/fair-reads.ts';
import { ApiKeys, createApiKey } from '../accounts/keys/api-keys.ts';
import { findProject, FIRST_PROJECT, isFirstStart } from '../accounts/projects/projects.ts';
import { createUser } from '../accounts/users.ts';
import { readUsage } from '../accounts/usage.ts';
import { Directory } from '../directory/directory.ts';
import { saveEmailView } from '../insights/search/email-views.ts';
import { ERASED } from '../model/erased.ts';
import { encodeId, newUuid } from '../model/ids.ts';
import { monthOf } from '../model/month.ts';
import { Lease } from '../queue/lease.ts';
import { insertEmails, type NewEmail, storedBytes } from '../sending/accept/insert-emails.ts';
import { beginAttempts } from '../sending/deliver/begin-attempts.ts';
import { groupJobs } from '../sending/deliver/job.ts';
import { getEmail } from '../sending/read/get-email.ts';
import { suppress } from '../sending/suppress/suppressing.ts';
import { Store } from '../store/store.ts';
import { createTemplate } from '../templates/save-template.ts';
import { writeDraft } from '../templates/template-drafts.ts';
import { deleteProject } from './delete-project.ts';
import { eraseAddress, eraseEmail } from './erase.ts';
import { eraseInSteps } from './erase-in-steps.ts';
import { addSafeSenderOfProject, addSender } from '../receiving/rules/sender-lists.ts';
import { noteSenders } from '../receiving/spam/senders.ts';
import { exportProject } from './export-project.ts';
import { RetentionRole } from './retention.ts';
import { TIMINGS } from './timings.ts';

const HASTY = { ...TIMINGS, pauseMs: 0, inFlightWaitMs: 0 };

let db: Awaited<ReturnType<typeof sealedDatabase>>;
before(async () => {
  db = await sealedDatabase();
});
after(() => db[Symbol.asyncDispose]());

/** All text in the tables of a project, except the audit log, which outlives the project and names the user who deleted the project. */
async function everythingOf(projectId: string): Promise<string> {
  const { rows: tables } = await sql<{ name: string }>`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'project_id'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
      and c.relname <> 'audit_log'`.execute(db.database);
  let all = '';
  for (const { name } of tables) {
    const { rows } = await sql<{ text: string | null }>`
      select string_agg(t::text, e'\n') as text from ${sql.table(name)} t where project_id = ${projectId}`.execute(
      db.database,
    );
    if (rows[0]?.text) all += `${name}: ${rows[0].text}\n`;
  }
  return all;
}

async function storageOf(projectId: string): Promise<number> {
  return (await readUsage(db.database, projectId, monthOf(new Date()))).storageBytes;
}

async function endAll(email: NewEmail): Promise<void> {
  await db.database.deleteFrom('queue').where('emailId', '=', email.emailId).execute();
}

const THORA = 'Thora@dst.test';
const BOB = 'bob@dst.test';

test('a person is erased everywhere, regardless of the case of the address, and the data of other people stays', async () => {
  const projectId = await newProject(db.database);
  await newWebhook(db.database, db.sealer, { projectId });
  const [alone, both, others] = [
    await queueEmailWith(db.database, ['sending', 'sent', 'delivered', 'opened'], {
      projectId,
      to: [`"Thora L." <${THORA}>`],
      recipients: [THORA],
      tags: ['x'],
    }),
    await queueEmailWith(db.database, ['sending', 'sent', 'delivered', 'clicked'], {
      projectId,
      to: [`Thora <${THORA}>`],
      cc: [BOB],
      bcc: [],
      recipients: [THORA, BOB],
      replyTo: THORA,
      subject: `For ${THORA}`,
      headers: { 'X-For': THORA },
      tags: [`to:${THORA}`],
    }),
    await queueEmailWith(db.database, ['sending'], { projectId, to: [BOB], recipients: [BOB] }),
  ];
  for (const email of [alone, both, others]) await endAll(email);
  // An endpoint has responded to two attempts with the address.
  const past = JSON.stringify([
    { at: new Date(), status: 500, error: THORA, ms: 1, body: THORA, cut: false },
  ]);
  await sql`
    update due_deliveries set response_body = ${THORA}, error = ${THORA}, past_attempts = ${past}::jsonb
    where project_id = ${projectId} and email_id = ${both.emailId}`.execute(db.database);
  await db.database
    .insertInto('sandboxMessages')
    .values({ projectId, emailId: both.emailId, message: Buffer.from(THORA), createdAt: new Date() })
    .execute();
  await db.database
    .insertInto('emailViews')
    .values({ projectId, id: newUuid(), userId: null, name: 'Thora', q: `to:${THORA}` })
    .execute();
  const sample = JSON.stringify({ to: THORA });
  const { id: templateId } = await createTemplate(db.database, projectId, {
    name: 'shipped',
    subject: '',
    html: '',
    text: 'x',
    sample,
  });
  const draft = { subject: '', html: '', text: 'y', layoutId: null, sample };
  await writeDraft(db.database, { projectId, templateId }, draft, {
    basedOn: undefined,
    revision: undefined,
  });
  const entry = { reason: 'manual' as const, detail: null, cause: null, expiresAt: null };
  await db.database.transaction().execute((tx) => suppress(tx, [{ projectId, address: THORA, ...entry }]));
  await new Directory(db.database).add(projectId, { name: 'Thora L.', email: THORA.toUpperCase() });
  const status = (await getEmail(db.database, projectId, both.emailId))?.status;
  const erased = await eraseAddress(db.database, null, 'thora@dst.test', false);
  const { emailsDeleted, emailsRedacted, suppressionsKept } = erased;
  assert.deepEqual([emailsDeleted, emailsRedacted, suppressionsKept], [1, 1, 1]);
  assert.equal(await getEmail(db.database, projectId, alone.emailId), null);
  const shown = await getEmail(db.database, projectId, both.emailId);
  assert.deepEqual(
    [shown?.status, shown?.to, shown?.cc, shown?.subject, shown?.html, shown?.tags, shown?.headers],
    [status, [ERASED], [BOB], '', '', [], {}],
  );
  assert.equal(shown?.events.length, 5);
  assert.equal((await getEmail(db.database, projectId, others.emailId))?.html, others.html);
  assert.equal(await storageOf(projectId), storedBytes(others));
  const { rows: log } = await sql<{ text: string }>`
    select string_agg(l::text, ' ') as text from audit_log l where project_id = ${projectId}`.execute(
    db.database,
  );
  assert.match(log[0]?.text ?? '', /person\.create/);
  assert.doesNotMatch(log[0]?.text ?? '', /thora/i);
  const repeated = await eraseAddress(db.database, projectId, THORA, true);
  assert.deepEqual(
    [repeated.emailsDeleted, repeated.emailsRedacted, repeated.suppressionsDeleted],
    [0, 0, 1],
  );
  assert.doesNotMatch(await everythingOf(projectId), /thora/i);
});

test('a person is erased in steps, and each step continues after the previous step', async () => {
  const projectId = await newProject(db.database);
  const emails = Array.from({ length: 201 }, () =>
    newEmail({ projectId, emailId: newUuid(), to: [THORA], recipients: [THORA] }),
  );
  await insertEmails(db.database, emails);
  await new Directory(db.database).add(projectId, { name: 'Thora', email: THORA });
  const core = { database: db.database, reads: new FairReads(db.database, 2) };
  const first = await eraseInSteps(core, projectId, { address: 'THORA@dst.test' });
  assert.deepEqual([first.emails_deleted, first.people_deleted], [200, 0]);
  const { next } = first;
  assert.ok(next !== null);
  const last = await eraseInSteps(core, projectId, { address: THORA, after: next });
  assert.deepEqual([last.emails_deleted, last.people_deleted, last.next], [1, 1, null]);
  await assert.rejects(eraseInSteps(core, projectId, { address: 'Thora' }), { code: 'validation-failed' });
  await assert.rejects(eraseInSteps(core, projectId, { address: THORA, after: 'x' }), {
    code: 'validation-failed',
  });
});

test('the audit log lists the erased emails without the erased address', async () => {
  const projectId = await newProject(db.database);
  const to = (...recipients: string[]) =>
    queueEmailWith(db.database, ['sending', 'sent', 'delivered'], { projectId, to: recipients, recipients });
  const [one, shared, other] = [await to(THORA), await to(THORA, BOB), await to(BOB)];
  await endAll(shared);
  await eraseAddress(db.database, projectId, THORA, true);
  await eraseEmail(db.database, projectId, other.emailId);
  const rows = await db.database
    .selectFrom('auditLog')
    .select(['action', 'target', 'targetName', 'before', 'after'])
    .where('projectId', '=', projectId)
    .where('action', 'like', 'email.%')
    .orderBy('id')
    .execute();
  const withoutDetails = { targetName: null, before: null, after: null };
  assert.deepEqual(rows, [
    { action: 'email.erase', target: encodeId('em', one.emailId), ...withoutDetails },
    { action: 'email.redact', target: encodeId('em', shared.emailId), ...withoutDetails },
    { action: 'email.erase', target: encodeId('em', other.emailId), ...withoutDetails },
  ]);
});

test('an email with a longer address that contains the erased address is not redacted', async () => {
  const projectId = await newProject(db.database);
  const store = async (fields: Partial<NewEmail>) => {
    const email = newEmail({ projectId, to: [BOB], recipients: [BOB], ...fields });
    await insertEmails(db.database, [email]);
    await endAll(email);
    return email;
  };
  const whole = [
    await store({ replyTo: 'joann@x.com' }),
    await store({ replyTo: 'Ann <ann@x.com.au>' }),
    await store({
      headers: { 'Reply-To': 'Jo <joann@x.com>, ann@x.com.au', 'X-For': 'jo.ann@x.com ann@x.com-y.de' },
    }),
    await store({ to: ['joann@x.com'], recipients: ['joann@x.com'] }),
  ];
  const named = [
    await store({ replyTo: 'Ann <ANN@x.com>' }),
    await store({ headers: { 'X-For': 'For Ann@x.com.' } }),
    await store({ headers: { 'X-For': "'ann@x.com'" } }),
  ];
  const before = await Promise.all(whole.map(({ emailId }) => getEmail(db.database, projectId, emailId)));
  const erased = await eraseAddress(db.database, projectId, 'ann@x.com', false);
  assert.deepEqual([erased.emailsDeleted, erased.emailsRedacted], [0, named.length]);
  const after = await Promise.all(whole.map(({ emailId }) => getEmail(db.database, projectId, emailId)));
  assert.deepEqual(after, before);
  for (const { emailId } of named) assert.equal((await getEmail(db.database, projectId, emailId))?.html, '');
});

test('an erased address is removed from server replies, and a longer address that contains the erased address stays', async () => {
  const projectId = await newProject(db.database);
  const [ada, other] = ['Ada@dst.test', 'bob.Ada@dst.test'];
  const email = newEmail({ projectId, to: [ada, other], recipients: [ada, other] });
  await insertEmails(db.database, [email]);
  await endAll(email);
  const detail = { recipient: other, reason: 'rejected', detail: `<${other}> gone,\n${ada}: gone` };
  await sql`
    update events set recipient = ${other}, detail = ${JSON.stringify(detail)}::json
    where project_id = ${projectId} and email_id = ${email.emailId}`.execute(db.database);
  await eraseAddress(db.database, projectId, ada, false);
  const { rows } = await sql<{ detail: object }>`
    select detail from events where email_id = ${email.emailId}`.execute(db.database);
  assert.deepEqual(rows, [{ detail: { ...detail, detail: `<${other}> gone,\n${ERASED}: gone` } }]);
});

test('erasing a pending recipient cancels it, and the body is deleted after the other recipients got the email', async () => {
  const projectId = await newProject(db.database);
  const email = newEmail({ projectId, to: [THORA, BOB], recipients: [THORA, BOB] });
  await insertEmails(db.database, [email]);
  const { recipientsCancelled } = await eraseAddress(db.database, projectId, THORA, false);
  assert.equal(recipientsCancelled, 1);
  const waiting = await getEmail(db.database, projectId, email.emailId);
  assert.equal(waiting?.html, email.html);
  const [, cancelled] = waiting?.events ?? [];
  assert.deepEqual([cancelled?.type, cancelled?.recipient, waiting?.status], ['failed', ERASED, 'failed']);
  await endAll(email);
  await runRetention();
  const ended = await getEmail(db.database, projectId, email.emailId);
  assert.deepEqual([ended?.html, ended?.subject, ended?.to], ['', '', [ERASED, BOB]]);
});

async function runRetention(timings = HASTY): Promise<void> {
  await using retention = new RetentionRole({
    database: db.database,
    keepDays: null,
    objects: new ObjectFiles('/nowhere/blobs'),
    logger: pino({ enabled: false }),
    timings,
  });
  await retention.scan();
}

test('erasing an email waits while it is in flight, and cancels its pending recipients', async () => {
  const projectId = await newProject(db.database);
  const email = newEmail({ projectId });
  await insertEmails(db.database, [email]);
  const setInFlight = (inFlight: boolean) =>
    db.database.updateTable('queue').set({ inFlight }).where('emailId', '=', email.emailId).execute();
  await setInFlight(true);
  await assert.rejects(eraseEmail(db.database, projectId, email.emailId, HASTY), /being sent/);
  await setInFlight(false);
  const erased = await eraseEmail(db.database, projectId, email.emailId);
  assert.deepEqual([erased.emailsDeleted, erased.recipientsCancelled], [1, 1]);
  await assert.rejects(eraseEmail(db.database, projectId, email.emailId), /no such email/);
});

test('a deleted project disappears at once and sends no more mail, and its rows are deleted in the background', async () => {
  const projectId = await newShop(db.database, 'gone', { localPart: 'ada' });
  const other = await newProject(db.database);
  await db.database
    .insertInto('shares')
    .values({ projectId: other, id: newUuid(), toProjectId: projectId, createdAt: new Date() })
    .execute();
  await newWebhook(db.database, db.sealer, { projectId });
  const { token } = await createApiKey(db.database, projectId, 'k', null);
  await insertEmails(
    db.database,
    Array.from({ length: 250 }, (_, at) =>
      newEmail({
        projectId,
        tags: ['t'],
        idempotency: { key: `k${at}`, fingerprint: Buffer.alloc(32) },
      }),
    ),
  );
  const mailbox = await mailboxOf(projectId);
  await newAlias(db.database, 'desk', [mailbox]);
  assert.equal((await new Store(db.database).append([newMessage(mailbox)]))[0]?.outcome, 'stored');
  await db.database
    .insertInto('usageDays')
    .values({ projectId, day: '2026-01-01', storageBytes: 1, mailboxes: 1, ownDomains: 1, mailboxEmails: 1 })
    .execute();
  await deleteProject(db.database, projectId, 'gone');
  assert.equal(await new ApiKeys(db.database).authenticate(token, '::1'), null);
  assert.equal(await findProject(db.database, 'gone'), null);
  // Simulates a request that was in progress during the deletion.
  await insertEmails(db.database, [newEmail({ projectId })]);
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  const late = (await claimRows(db.database, lease.leaseId, 1_000)).filter(
    (row) => row.projectId === projectId,
  );
  assert.ok(late.length > 0);
  assert.deepEqual(
    await beginAttempts(
      db.database,
      lease.leaseId,
      groupJobs(late, () => ''),
    ),
    [],
  );
  lease.stop();
  // If a message is in flight while its email is deleted, its sandbox copy is stored afterwards, as here.
  await db.database
    .insertInto('sandboxMessages')
    .values({ projectId, emailId: newUuid(), message: Buffer.from('x'), createdAt: new Date() })
    .execute();
  // Delete the blobs here, because the job that sweeps them does not run in this test.
  await db.database.deleteFrom('blobs').where('projectId', '=', projectId).execute();
  await runRetention();
  assert.match(await everythingOf(projectId), /^removals: .*\n.*\n.*\n$/);
  await runRetention({ ...HASTY, lateRequestMs: 0 });
  assert.equal(await everythingOf(projectId), '');
});

test('a key created during the deletion of its project is deleted, and a key created later is rejected', async () => {
  const projectId = await newProject(db.database, 'beginning');
  let deleting = Promise.resolve();
  await db.database.transaction().execute(async (tx) => {
    await createApiKey(tx, projectId, 'early', null);
    deleting = deleteProject(db.database, projectId, 'beginning');
    assert.ok(await eventually(async () => (await waitingForLocks()) === 1, 5_000));
  });
  await deleting;
  assert.match(await everythingOf(projectId), /^removals: .*\n$/);
  await assert.rejects(createApiKey(db.database, projectId, 'late', null), { code: 'not-found' });
});

function mailboxOf(projectId: string) {
  return db.database
    .selectFrom('mailboxes')
    .select(['projectId', 'id as mailboxId'])
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
}

async function waitingForLocks(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(db.database);
  return rows[0]?.count ?? 0;
}

test('the first project is not created again after its deletion', async () => {
  const projectId = await newProject(db.database, FIRST_PROJECT);
  await deleteProject(db.database, projectId, FIRST_PROJECT);
  assert.equal(await db.database.transaction().execute(isFirstStart), false);
});

test('an export contains every email, and the message of every email whose body still exists', async () => {
  const projectId = await newShop(db.database, 'handed-out', { localPart: 'eve' });
  await newAlias(db.database, 'desk', [await mailboxOf(projectId)]);
  const eve = await mailboxOf(projectId);
  await addSender(db.database, eve, 'blocked', 'spam.example');
  await addSafeSenderOfProject(db.database, projectId, 'friends.example');
  await noteSenders(db.database, eve, { proven: ['jo@shop.example'], claimed: [] }, 'spam');
  await db.database
    .insertInto('mailboxPreferences')
    .values({ ...eve, newestFirst: true })
    .execute();
  await db.database
    .insertInto('mailboxIdentities')
    .values({
      ...eve,
      id: newUuid(),
      address: 'desk@src.test',
      displayName: 'Desk',
      replyTo: null,
      signatureHtml: 'Bye',
    })
    .execute();
  await db.database
    .insertInto('cannedResponses')
    .values({ ...eve, id: newUuid(), name: 'Thanks', subject: null, html: 'Thank you', preview: 'Thank you' })
    .execute();
  await db.database
    .insertInto('trustedSenders')
    .values({ ...eve, address: 'bo@dst.test', createdAt: new Date() })
    .execute();
  await db.database
    .insertInto('invitationAnswers')
    .values({ ...eve, event: Buffer.alloc(32, 1), answer: 'accepted', sequence: 0, answeredAt: new Date() })
    .execute();
  const userId = await db.database
    .transaction()
    .execute((tx) =>
      createUser(tx, { email: 'ada@src.test', name: 'Ada', passwordHash: null, isOperator: false }),
    );
  for (const [name, isShared] of [
    ['Private', false],
    ['Bounces', true],
  ] as const)
    await saveEmailView(
      db.database,
      projectId,
      { userId, role: 'owner' },
      { name, q: 'status:bounced', is_shared: isShared },
    );
  const emails = Array.from({ length: 20 }, (_, at) => newEmail({ projectId, subject: `No. ${at}` }));
  await insertEmails(db.database, emails);
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-export-'));
  chmodSync(folder, 0o755);
  try {
    const count = await exportProject(
      db.database,
      new Blobs(db.database, new ObjectFiles('/nowhere')),
      { id: projectId, name: 'handed-out' },
      folder,
    );
    assert.equal(count, 20);
    const read = (name: string) => readFileSync(join(folder, name), 'utf8');
    const lines = read('emails.ndjson').trimEnd().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { subject: string }).subject),
      emails.map(({ subject }) => subject).reverse(),
    );
    const [first] = emails as [NewEmail];
    const shown = await getEmail(db.database, projectId, first.emailId);
    const message = read(join('messages', String(shown?.created_at).slice(0, 10), `${shown?.id}.eml`));
    assert.match(message, /^From: Acme <hello@posthorn\.localhost>\r\n[^]*Subject: No\. 0\r\n[^]*It works/);
    assert.match(read('mailboxes.ndjson'), /^{"id":"mbx_[^"]+","local_part":"eve"/);
    assert.match(
      read('aliases.ndjson'),
      /^{"id":"als_[^"]+",.*"local_part":"desk".*"mailbox_ids":\["mbx_[^"]+"\]/,
    );
    assert.match(
      read('mail-rules.ndjson'),
      /^{"mailbox_id":"mbx_[^"]+","rules":\[\],"blocks":\["spam\.example"\],"safe_senders":\[\],"vacation":null,"forward":null}\n$/,
    );
    assert.partialDeepStrictEqual(JSON.parse(read('mail-settings.ndjson')), {
      reading: { newest_first: true, remote_content: 'ask' },
      identities: [{ address: 'desk@src.test', name: 'Desk', signature_html: 'Bye' }],
      canned_responses: [{ name: 'Thanks', subject: null, html: 'Thank you' }],
      trusted_senders: ['bo@dst.test'],
      learned_senders: [{ sender: 'jo@shop.example', standing: 'spam', proven: true }],
      written_to: [],
      received_from: [],
      contacts: [],
      invitation_answers: [{ event_sha256: '01'.repeat(32), answer: 'accepted' }],
    });
    assert.match(read('safe-senders.ndjson'), /^{"sender":"friends\.example","created_at":"[^"]+"}\n$/);
    assert.match(read('email-views.ndjson'), /^{"id":"vw_[^"]+","name":"Bounces","q":"status:bounced"}\n$/);
    assert.equal(existsSync(join(folder, 'suppressions.ndjson')), true);
    await assert.rejects(
      exportProject(
        db.database,
        new Blobs(db.database, new ObjectFiles('/nowhere')),
        { id: projectId, name: 'x' },
        folder,
      ),
      /not empty/,
    );
    const written = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    assert.ok(written.length > 20);
    for (const name of written)
      assert.equal(statSync(join(folder, name)).mode & 0o077, 0, `others can read ${name}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
