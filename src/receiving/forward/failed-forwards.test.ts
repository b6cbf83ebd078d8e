import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createSecretKey } from 'node:crypto';
import { sql } from 'kysely';
import { newMailbox } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { Blobs, prepareInRow } from '../../blobs/blobs.ts';
import { ObjectFiles } from '../../blobs/object-files.ts';
import type { ObjectStore } from '../../blobs/object-store.ts';
import { newUuid } from '../../model/ids.ts';
import { ReportReceiver } from '../../reports/receive/report-receiver.ts';
import { ReturnPaths } from '../../reports/return-path.ts';
import { insertSubmissions, type NewSubmission } from '../../sending/submit/insert-submissions.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { MailboxFiltersCache } from '../rules/mailbox-filters.ts';
import { processingFailedForwards } from './failed-forwards.ts';
import { forwardTo } from './forward.ts';
import { readForwarding, setForwarding } from './forwarding.ts';

const TARGET = 'anna@elsewhere.example';
const folder = mkdtempSync(join(tmpdir(), 'posthorn-forwards-'));
const objects = new ObjectFiles(folder);
const returnPaths = new ReturnPaths(createSecretKey(Buffer.alloc(32, 1)));
let db: TestDatabase;
let reports: ReportReceiver;
before(async () => {
  db = await testDatabase();
  const logger = { info: () => {}, error: () => {} } as never;
  reports = new ReportReceiver({ database: db.database, returnPaths, logger, onEvents: () => {} });
});
after(async () => {
  await db[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

type Outcome = 'delivered' | 'relayed' | 'failed';

async function forwarded(mailbox: MailboxKey, isOnlyCopy = false): Promise<NewSubmission> {
  const bytes = Buffer.from(`From: b@sender.example\r\nSubject: Hello\r\n\r\n${crypto.randomUUID()}\r\n`);
  const submission = forwardTo(
    TARGET,
    {
      mailbox: { ...mailbox, address: 'anna@acme.example' },
      blob: prepareInRow(mailbox.projectId, bytes),
      bodyHash: null,
      messageId: null,
      isUtf8: false,
      reversePath: 'b@sender.example',
      objectId: null,
      content: null,
      isOnlyCopy,
    },
    returnPaths,
  );
  await insertSubmissions(db.database, [submission]);
  return submission;
}

async function end(
  { submissionId }: NewSubmission,
  outcome: Outcome,
  detail: object = { diagnostic: '550 5.1.1 No' },
) {
  await sql`
    update submission_recipients set outcome = ${outcome}, detail = ${JSON.stringify(detail)}, ended_at = now()
    where submission_id = ${submissionId}`.execute(db.database);
}

async function settle(from: ObjectStore = objects) {
  for await (const _ of processingFailedForwards(db.database, from)) continue;
}

const failuresOf = async (mailbox: MailboxKey) =>
  (await readForwarding(db.database, mailbox)).failing.map(({ target, failures, offSince, reply }) => ({
    target,
    failures,
    isOff: offSince !== null,
    reply,
  }));

async function subjectsIn({ projectId, mailboxId }: MailboxKey): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select subject from message_contents where project_id = ${projectId} and mailbox_id = ${mailboxId} order by object_id`.execute(
    db.database,
  );
  return rows.map(({ subject }) => subject);
}

async function newForwarding(keepsCopy = true) {
  const mailbox = await newMailbox(db.database);
  await setForwarding(db.database, mailbox, TARGET, keepsCopy);
  return mailbox;
}

test('ten failures in a row disable the target, and the owner of the mailbox is notified once', async () => {
  const anna = await newForwarding();
  for (let n = 0; n < 9; n++) await end(await forwarded(anna), 'failed');
  await settle();
  assert.deepEqual(await failuresOf(anna), [
    { target: TARGET, failures: 9, isOff: false, reply: '550 5.1.1 No' },
  ]);
  assert.deepEqual(await subjectsIn(anna), []);
  for (let n = 0; n < 2; n++)
    await end(await forwarded(anna), 'failed', { reason: 'x', detail: 'no such domain' });
  await settle();
  assert.deepEqual(await failuresOf(anna), [
    { target: TARGET, failures: 11, isOff: true, reply: 'no such domain' },
  ]);
  assert.deepEqual(await subjectsIn(anna), [`Forwarding to ${TARGET} was turned off`]);
  const { filingVersion } = await db.database
    .selectFrom('mailboxes')
    .select('filingVersion')
    .where('id', '=', anna.mailboxId)
    .executeTakeFirstOrThrow();
  const filters = await new MailboxFiltersCache(db.database).of({ ...anna, filingVersion });
  assert.deepEqual([...(filters?.offTargets ?? [])], [TARGET]);
  await setForwarding(db.database, anna, TARGET, true);
  assert.deepEqual(await failuresOf(anna), []);
});

test('a successful delivery resets the number of failures', async () => {
  const anna = await newForwarding();
  for (let n = 0; n < 9; n++) await end(await forwarded(anna), 'failed');
  await settle();
  await end(await forwarded(anna), 'relayed');
  await end(await forwarded(anna), 'failed');
  await settle();
  assert.equal((await failuresOf(anna))[0]?.failures, 1);
});

test('three failures over three days also disable the target', async () => {
  const anna = await newForwarding();
  for (let n = 0; n < 2; n++) await end(await forwarded(anna), 'failed');
  await settle();
  await sql`update forward_failures set since = since - interval '3 days'`.execute(db.database);
  await end(await forwarded(anna), 'failed');
  await settle();
  assert.equal((await failuresOf(anna))[0]?.isOff, true);
});

test('a message without another copy is returned to the mailbox, once and unchanged', async () => {
  const anna = await newForwarding(false);
  const submission = await forwarded(anna, true);
  await end(submission, 'failed');
  await settle();
  await sql`insert into failed_forwards values (${anna.projectId}, ${submission.submissionId})`.execute(
    db.database,
  );
  await settle();
  assert.deepEqual(await subjectsIn(anna), ['Hello']);
  const { rows } = await sql<{ digest: Buffer }>`
    select digest from message_contents where mailbox_id = ${anna.mailboxId}`.execute(db.database);
  const blob = await new Blobs(db.database, objects).open(anna.projectId, rows[0]?.digest ?? Buffer.alloc(0));
  assert.match(String(await blob?.read()), /^From: b@sender\.example\r\nSubject: Hello/);
  assert.equal((await failuresOf(anna))[0]?.failures, 2);
});

test('a message whose bytes cannot be read stays queued and does not block other messages', async () => {
  const mailboxes = [await newForwarding(false), await newForwarding(false)].sort((a, b) =>
    a.projectId < b.projectId ? -1 : 1,
  ) as [MailboxKey, MailboxKey];
  const [unreadable] = [await forwarded(mailboxes[0], true), await forwarded(mailboxes[1], true)];
  await sql`update submission_recipients set outcome = 'failed', ended_at = now()`.execute(db.database);
  await sql`update blobs set bytes = null, object = ${newUuid()} where digest = ${unreadable.blob.digest}`.execute(
    db.database,
  );
  const failing = new (class extends ObjectFiles {
    override get = () => Promise.reject(new Error('EIO'));
  })(folder);
  await assert.rejects(settle(failing), /EIO/);
  assert.deepEqual([await subjectsIn(mailboxes[0]), await subjectsIn(mailboxes[1])], [[], ['Hello']]);
  const { rows } = await sql<{ id: string }>`select submission_id as id from failed_forwards`.execute(
    db.database,
  );
  assert.deepEqual(rows, [{ id: unreadable.submissionId }]);
  await sql`delete from failed_forwards`.execute(db.database);
});

test('a bounce after delivery counts as one failure, and only at the return path of the forwarded message', async () => {
  const anna = await newForwarding();
  const submission = await forwarded(anna);
  await end(submission, 'relayed');
  const addressee = reports.addresseeOf(submission.reversePath ?? '');
  assert.deepEqual(addressee, {
    kind: 'forward',
    projectId: anna.projectId,
    submissionId: submission.submissionId,
  });
  assert.equal(reports.addresseeOf((submission.reversePath ?? '').replace('f+', 'b+')), null);
  const report = (action: string) =>
    Buffer.from(
      [
        'From: mailer-daemon@elsewhere.example',
        'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx.elsewhere.example',
        '',
        `Final-Recipient: rfc822; ${TARGET}`,
        `Action: ${action}`,
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 User unknown',
        '',
        '--b--',
        '',
      ].join('\r\n'),
    );
  await reports.receive([addressee], report('delayed'));
  await settle();
  assert.deepEqual(await failuresOf(anna), []);
  for (let n = 0; n < 2; n++) await reports.receive([addressee], report('failed'));
  await settle();
  const [failure] = await failuresOf(anna);
  assert.equal(failure?.failures, 1);
  assert.match(failure?.reply ?? '', /User unknown/);
});

test('failures of a deleted mailbox are deleted', async () => {
  const anna = await newForwarding();
  await end(await forwarded(anna), 'failed');
  await sql`delete from mailboxes where id = ${anna.mailboxId}`.execute(db.database);
  await settle();
  const { rows } = await sql`select from failed_forwards`.execute(db.database);
  assert.deepEqual(rows, []);
});
