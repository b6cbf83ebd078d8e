import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newEmail, PROJECT } from '../../../test/support/emails.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from '../../db/database.ts';
import { ERASED } from '../../model/erased.ts';
import { insertEmails } from '../accept/insert-emails.ts';
import { Suppressions } from '../suppress/suppressions.ts';
import { Unsubscriber } from './unsubscribe.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const email = newEmail();
const of = { projectId: PROJECT, emailId: email.emailId, recipientIndex: 0 };

test('while the database is unavailable, an unsubscribe request is lost', async () => {
  const away = openDatabase('postgres://localhost:1/none');
  assert.equal(await new Unsubscriber(away).unsubscribe(of), 'lost');
  await away.destroy();
});

test('while the database is blocked, at most 1,000 unsubscribe requests wait, and further requests fail at once', async () => {
  await insertEmails(db.database, [email]);
  const unsubscriber = new Unsubscriber(db.database);
  let results: Promise<(boolean | 'lost')[]> | undefined;
  await db.database.transaction().execute(async (tx) => {
    await sql`lock table suppressions in exclusive mode`.execute(tx);
    const requests = Array.from({ length: 1_100 }, () => unsubscriber.unsubscribe(of));
    results = Promise.all(requests);
    assert.deepEqual([...new Set(await Promise.all(requests.slice(1_000)))], ['lost']);
  });
  assert.deepEqual([...new Set((await results)?.slice(0, 1_000))], [true]);
  assert.equal(await unsubscriber.unsubscribe(of), true);
  assert.equal((await new Suppressions(db.database).find(PROJECT, 'b@dst.test'))?.reason, 'unsubscribe');
});

test('an erased recipient cannot be unsubscribed', async () => {
  const { emailId } = email;
  await db.database
    .updateTable('emailRecipients')
    .set({ address: ERASED })
    .where('emailId', '=', emailId)
    .execute();
  assert.equal(await new Unsubscriber(db.database).unsubscribe(of), false);
  assert.equal(await new Suppressions(db.database).find(PROJECT, ERASED), null);
});
