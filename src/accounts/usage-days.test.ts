import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newShop } from '../../test/support/projects.ts';
import { newUuid } from '../model/ids.ts';
import { countingUsage } from './usage-days.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

async function count(): Promise<void> {
  for await (const _ of countingUsage(db.database));
}

test("a project's usage is counted for today, and past days stay unchanged", async () => {
  const projectId = await newShop(db.database, 'shop', { localPart: 'ada' });
  const { id: mailboxId } = await db.database
    .selectFrom('mailboxes')
    .select('id')
    .where('projectId', '=', projectId)
    .executeTakeFirstOrThrow();
  const file = { projectId, mailboxId, id: newUuid(), name: 'film.mov', type: 'video/mp4', octets: 700 };
  await db.database
    .insertInto('linkFiles')
    .values({ ...file, createdAt: new Date(), touchedAt: new Date() })
    .execute();
  await count();
  const days = () =>
    db.database
      .selectFrom('usageDays')
      .select(['mailboxes', 'ownDomains', 'mailboxEmails', 'fileLinkBytes'])
      .where('projectId', '=', projectId)
      .orderBy('day')
      .execute();
  assert.deepEqual(await days(), [{ mailboxes: 1, ownDomains: 1, mailboxEmails: 0, fileLinkBytes: '700' }]);
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await db.database
    .insertInto('usageDays')
    .values([
      { projectId, day, storageBytes: 7, mailboxes: 5, ownDomains: 5, mailboxEmails: 5 },
      { projectId, day: '2020-01-01', storageBytes: 7, mailboxes: 5, ownDomains: 5, mailboxEmails: 5 },
    ])
    .execute();
  await db.database.deleteFrom('mailboxes').where('projectId', '=', projectId).execute();
  await count();
  assert.deepEqual(await days(), [
    { mailboxes: 5, ownDomains: 5, mailboxEmails: 5, fileLinkBytes: null },
    { mailboxes: 0, ownDomains: 1, mailboxEmails: 0, fileLinkBytes: '0' },
  ]);
});
