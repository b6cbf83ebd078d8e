import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { anyText } from '../../../test/support/any-text.ts';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { rowsOf } from '../../../test/support/queue-rows.ts';
import { newUuid } from '../../model/ids.ts';
import { getEmail } from '../read/get-email.ts';
import {
  findByIdempotencyKeys,
  forgetIdempotencyKeys,
  insertEmails,
  type NewEmail,
  sizeOfEmail,
  storedBytes,
} from './insert-emails.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

function keyed(key: string, fingerprint = Buffer.alloc(32, 1)) {
  return newEmail({ idempotency: { key, fingerprint } });
}

/** The id of the email that an idempotency key belongs to; null if the key is unused. */
async function ownerOf(projectId: string, key: string): Promise<string | null> {
  const [found] = await findByIdempotencyKeys(db.database, [{ projectId, key }]);
  return found?.emailId ?? null;
}

test('an email, its recipients and its queued event are written together', async () => {
  const email = newEmail({ recipients: ['a@x.test', 'b@x.test'] });
  assert.deepEqual(await insertEmails(db.database, [email]), [true]);
  const detail = await getEmail(db.database, PROJECT, email.emailId);
  assert.equal(detail?.status, 'queued');
  assert.deepEqual(
    detail?.events.map(({ type, recipient }) => [type, recipient]),
    [['queued', null]],
  );
  const rows = await rowsOf(db.database, { emailId: email.emailId });
  assert.deepEqual(
    rows.map(({ recipientIndex, address, leaseId, attempts }) => ({
      recipientIndex,
      address,
      leaseId,
      attempts,
    })),
    [
      { recipientIndex: 0, address: 'a@x.test', leaseId: null, attempts: 0 },
      { recipientIndex: 1, address: 'b@x.test', leaseId: null, attempts: 0 },
    ],
  );
});

test('an email with any characters is stored unchanged', async () => {
  const text = anyText().filter((value) => value.isWellFormed() && !value.includes('\0'));
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(text, { minLength: 1, maxLength: 3 }),
      fc.option(text),
      fc.array(text, { maxLength: 3 }),
      async (subject, to, html, tags) => {
        const email = newEmail({ subject, to, html, tags, headers: { 'X-A': subject, ['__proto__']: 'x' } });
        await insertEmails(db.database, [email]);
        const detail = await getEmail(db.database, PROJECT, email.emailId);
        assert.deepEqual([detail?.subject, detail?.to, detail?.html], [subject, to, html ?? '']);
        const row = await db.database
          .selectFrom('emails')
          .innerJoin('emailContents', 'emailContents.emailId', 'emails.id')
          .select(['tags', 'headers'])
          .where('emails.id', '=', email.emailId)
          .executeTakeFirstOrThrow();
        assert.deepEqual(row.tags, tags);
        assert.deepEqual(Object.entries(row.headers ?? {}), Object.entries(email.headers ?? {}));
      },
    ),
    { numRuns: 30 },
  );
});

test('the second email with the same idempotency key is not stored, even within one batch', async () => {
  const [first, second, other] = [keyed('once'), keyed('once'), newEmail()];
  assert.deepEqual(await insertEmails(db.database, [first, second, other]), [true, false, true]);
  assert.equal(await ownerOf(PROJECT, 'once'), first.emailId);
  assert.equal(await getEmail(db.database, PROJECT, second.emailId), null);
});

test('the same idempotency key in another project is a different key', async () => {
  const elsewhere = { ...keyed('shared'), projectId: newUuid() };
  assert.deepEqual(await insertEmails(db.database, [keyed('shared'), elsewhere]), [true, true]);
});

test('an idempotency key can be used again after 24 hours', async () => {
  const old = keyed('old');
  await insertEmails(db.database, [old]);
  await db.database
    .updateTable('idempotencyKeys')
    .set({ createdAt: new Date(Date.now() - 25 * 3_600_000) })
    .where('emailId', '=', old.emailId)
    .execute();
  assert.equal(await ownerOf(PROJECT, 'old'), null);
  const fresh = keyed('old');
  assert.deepEqual(await insertEmails(db.database, [fresh]), [true]);
  assert.equal(await ownerOf(PROJECT, 'old'), fresh.emailId);
});

test('batches with the same idempotency keys in another order do not deadlock, and each key is claimed once', async () => {
  const keys = Array.from({ length: 40 }, (_, at) => `race-${at}`);
  const batches = Array.from({ length: 8 }, (_, at) =>
    (at % 2 === 0 ? keys : keys.toReversed()).map((key) => keyed(key)),
  );
  const results = await Promise.all(batches.map((batch) => insertEmails(db.database, batch)));
  assert.equal(results.flat().filter((won) => won).length, keys.length);
});

async function metered(projectId: string): Promise<number> {
  const rows = await db.database
    .selectFrom('storageChanges')
    .select('bytes')
    .where('projectId', '=', projectId)
    .execute();
  return rows.reduce((sum, { bytes }) => sum + Number(bytes), 0);
}

test('the bytes of subject, html, text and headers are metered for each project of a batch', async () => {
  const [one, two] = [newUuid(), newUuid()];
  const emails = [
    newEmail({ projectId: one, subject: 'ü', html: '<p>€</p>', text: null, headers: null }),
    newEmail({ projectId: two, subject: '', html: null, text: 'four', headers: { 'X-A': 'b' } }),
    newEmail({ projectId: one, subject: 'x', html: null, text: '', headers: null }),
  ];
  assert.deepEqual(emails.map(storedBytes), [12, 15, 1]);
  await insertEmails(db.database, emails);
  assert.deepEqual([await metered(one), await metered(two)], [13, 15]);
});

test('sizeOfEmail includes headers, addresses and tags, and the size in the queue includes headers', async () => {
  const headers = Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`X-${at}`, 'v'.repeat(8_000)]));
  const plain = newEmail({ html: null, text: 'x' });
  const large = newEmail({
    html: null,
    text: 'x',
    headers,
    cc: Array.from({ length: 1_000 }, () => 'c'.repeat(900)),
    bcc: ['b'.repeat(900)],
    tags: ['t'.repeat(256)],
  });
  assert.ok(sizeOfEmail(large) - sizeOfEmail(plain) > 400_000 + 1_001 * 900 + 200);
  await insertEmails(db.database, [large]);
  const { rows } = await sql<{ octets: number }>`
    select octets from queue where email_id = ${large.emailId}`.execute(db.database);
  assert.ok(rows.length > 0 && rows.every(({ octets }) => octets > 400_000 && octets < 401_000));
});

test('an email with a used idempotency key is not metered', async () => {
  const projectId = newUuid();
  const [first, second] = [keyed('metered'), keyed('metered')].map((email) => ({ ...email, projectId }));
  await insertEmails(db.database, [first as NewEmail, second as NewEmail]);
  await insertEmails(db.database, [second as NewEmail]);
  assert.equal(await metered(projectId), storedBytes(first as NewEmail));
});

test('expired idempotency keys are deleted in batches, except a key that is being claimed', async () => {
  await sql`truncate idempotency_keys`.execute(db.database);
  await sql`
    insert into idempotency_keys (project_id, key, fingerprint, email_id, created_at)
    select ${PROJECT}, n::text, '', gen_random_uuid(), now() - case when n > 25000 then 1 else 25 end * interval '1 hour'
    from generate_series(1, 25010) n`.execute(db.database);
  await sql`create table batches (deleted int)`.execute(db.database);
  await sql`
    create function count_deleted() returns trigger language plpgsql as
      'begin insert into batches select count(*) from gone; return null; end'`.execute(db.database);
  await sql`
    create trigger count_deleted after delete on idempotency_keys referencing old table as gone
    for each statement execute function count_deleted()`.execute(db.database);
  await db.database.transaction().execute(async (tx) => {
    await sql`select from idempotency_keys where key = '7' for update`.execute(tx);
    await forgetIdempotencyKeys(db.database);
  });
  const left = await sql<{ key: string }>`select key from idempotency_keys order by length(key), key`.execute(
    db.database,
  );
  assert.deepEqual(
    left.rows.map(({ key }) => key),
    ['7', ...Array.from({ length: 10 }, (_, at) => `${25_001 + at}`)],
  );
  const batches = await sql<{ deleted: number }>`select deleted from batches`.execute(db.database);
  assert.deepEqual(
    batches.rows.map(({ deleted }) => deleted),
    [10_000, 10_000, 4_999],
  );
});
