import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { claimRows, emptyQueue } from '../../../test/support/queue-rows.ts';
import { newSubmission, recipientOf } from '../../../test/support/submissions.ts';
import { newUuid } from '../../model/ids.ts';
import { Lease } from '../../queue/lease.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { findByKeys, forgetSubmissionKeys, insertSubmissions, nameOf } from './insert-submissions.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
beforeEach(() => emptyQueue(db.database));
after(() => db[Symbol.asyncDispose]());

const LOGIN = newUuid();

function keyed(byte: number, login = LOGIN) {
  return newSubmission({ key: { login, fingerprint: Buffer.alloc(32, byte) } });
}

async function count(table: 'submissions' | 'submissionRecipients' | 'queue'): Promise<number> {
  const { n } = await db.database
    .selectFrom(table)
    .select(sql<number>`count(*)::int`.as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

test('a submission, its recipients, its bytes and its queue rows are written in one transaction', async () => {
  const submission = newSubmission({
    reversePath: '',
    envelopeId: 'QQ',
    returns: 'headers',
    isUtf8: true,
    bodyHash: Buffer.alloc(32, 5),
    recipients: [
      { ...recipientOf('a@x.test'), notify: 0, originalRecipient: 'rfc822;A@x.test' },
      recipientOf('b@x.test'),
    ],
  });
  assert.deepEqual(await insertSubmissions(db.database, [submission]), [true]);
  const row = await db.database.selectFrom('submissions').selectAll().executeTakeFirstOrThrow();
  const { submissionId: id, blob, key: _, recipients, ...same } = submission;
  const { createdAt: __, ...stored } = row;
  assert.deepEqual(stored, {
    ...same,
    id,
    digest: blob.digest,
    octets: blob.size,
    recipients: recipients.length,
  });
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  lease.stop();
  const rows = await claimRows(db.database, lease.leaseId, 10);
  const claimed = rows.toSorted((one, other) => one.recipientIndex - other.recipientIndex);
  assert.deepEqual(
    claimed.map(({ emailId, recipientIndex, address, stream, octets }) => [
      emailId,
      recipientIndex,
      address,
      stream,
      octets,
    ]),
    recipients.map(({ address }, at) => [id, at, address, 'mailbox', blob.size]),
  );
  const storedBlobs = await db.database
    .selectFrom('blobs')
    .select('digest')
    .where('digest', '=', blob.digest)
    .execute();
  assert.equal(storedBlobs.length, 1);
});

test('mailbox mail gets a separate fair share beside API mail', async () => {
  await insertEmails(
    db.database,
    Array.from({ length: 5 }, () => newEmail()),
  );
  await insertSubmissions(db.database, [newSubmission(), newSubmission()]);
  const lease = await Lease.begin(db.database, newUuid(), 'test');
  lease.stop();
  const claimed = await claimRows(db.database, lease.leaseId, 4);
  assert.deepEqual(claimed.map(({ stream }) => stream).sort(), [
    'mailbox',
    'mailbox',
    'transactional',
    'transactional',
  ]);
});

test('an idempotency key is claimed by the first submission of a batch, and by the first transaction to commit', async () => {
  const twins = [keyed(1), keyed(1), keyed(2), newSubmission()];
  assert.deepEqual(await insertSubmissions(db.database, twins), [true, false, true, true]);
  assert.deepEqual(await insertSubmissions(db.database, [keyed(1), keyed(1, newUuid())]), [false, true]);
  const racers = await Promise.all(
    Array.from({ length: 6 }, () => insertSubmissions(db.database, [keyed(3), keyed(4)])),
  );
  assert.deepEqual(
    [0, 1].map((at) => racers.filter((written) => written[at]).length),
    [1, 1],
  );
  assert.deepEqual(
    [await count('submissions'), await count('submissionRecipients'), await count('queue')],
    [6, 6, 6],
  );
  const [first] = twins;
  const key = { projectId: PROJECT, login: LOGIN, fingerprint: Buffer.alloc(32, 1) };
  const free = { ...key, fingerprint: Buffer.alloc(32, 99) };
  assert.deepEqual(await findByKeys(db.database, [key, free]), new Map([[nameOf(key), first?.submissionId]]));
});

test('an idempotency key can be used again after a day', async () => {
  await insertSubmissions(db.database, [keyed(7), keyed(8)]);
  await sql`update submission_keys set created_at = now() - interval '25 hours' where fingerprint = ${Buffer.alloc(32, 7)}`.execute(
    db.database,
  );
  assert.deepEqual(await insertSubmissions(db.database, [keyed(7), keyed(8)]), [true, false]);
  await sql`update submission_keys set created_at = now() - interval '25 hours' where fingerprint = ${Buffer.alloc(32, 7)}`.execute(
    db.database,
  );
  await forgetSubmissionKeys(db.database);
  const left = await db.database.selectFrom('submissionKeys').select('fingerprint').execute();
  assert.deepEqual(
    left.map(({ fingerprint }) => fingerprint[0]).filter((byte) => byte === 7 || byte === 8),
    [8],
  );
});

test('a failed transaction leaves nothing behind', async () => {
  const submission = keyed(9);
  await assert.rejects(
    db.database.transaction().execute(async (tx) => {
      await insertSubmissions(tx, [submission]);
      throw new Error('broken off');
    }),
    /broken off/,
  );
  assert.equal(await count('submissions'), 0);
  assert.deepEqual(await insertSubmissions(db.database, [submission]), [true]);
});
