import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { readUsage } from '../accounts/usage.ts';
import type { FolderRole } from '../model/folder-roles.ts';
import { monthOf } from '../model/month.ts';
import { deletingFolders, expungingOldJunk, forgettingExpunged } from './background-jobs.ts';
import type { FolderKey } from './in-folder.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import { readQuotas } from './usage.ts';
import { Store } from './store.ts';
import { deliveringWarnings } from './warnings.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

async function done(job: AsyncGenerator<number>): Promise<number> {
  let count = 0;
  for await (const rows of job) count += rows;
  return count;
}

async function folderOf(mailbox: MailboxKey, role: FolderRole): Promise<FolderKey> {
  const folders = await store.folders(mailbox);
  return { ...mailbox, folderId: folders.find((folder) => folder.role === role)?.id ?? '' };
}

const uidsIn = async (folder: FolderKey) => [...((await store.snapshot(folder))?.uids ?? [])];
const octetsOf = async (mailbox: MailboxKey) => {
  const { octets } = await db.database
    .selectFrom('mailboxStates')
    .select('octets')
    .where('mailboxId', '=', mailbox.mailboxId)
    .executeTakeFirstOrThrow();
  return Number(octets);
};
function sized(mailbox: MailboxKey, size: number) {
  const message = newMessage(mailbox);
  return { ...message, blob: { ...message.blob, size } };
}

test('messages moved to Junk or Trash 30 days ago are deleted whatever their own date, unless the mailbox is set to keep them', async () => {
  const [mailbox, keeps] = [await newMailbox(db.database), await newMailbox(db.database)];
  await db.database
    .updateTable('mailboxes')
    .set({ emptiesFolders: false })
    .where('id', '=', keeps.mailboxId)
    .execute();
  const old = { internalDate: new Date('2020-01-01') };
  for (const each of [mailbox, keeps]) {
    for (const role of ['inbox', 'junk', 'trash'] as const)
      await store.append([1, 2, 3].map(() => newMessage(each, { folder: { role }, ...old })));
    await sql`
      update messages set save_date = now() - interval '31 days'
      where mailbox_id = ${each.mailboxId} and uid <= 2`.execute(db.database);
  }
  await done(expungingOldJunk(db.database));
  const left = async (each: MailboxKey) =>
    Promise.all(
      (['inbox', 'junk', 'trash'] as const).map(async (role) => uidsIn(await folderOf(each, role))),
    );
  assert.deepEqual(await left(mailbox), [[1, 2, 3], [3], [3]]);
  assert.deepEqual(await left(keeps), [
    [1, 2, 3],
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

test('a deleted folder disappears immediately; its messages, and their contents unless copied elsewhere, are deleted later', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  const made = await store.createFolder(mailbox, { name: 'Old' });
  assert.ok(made.outcome === 'done');
  const folder = { ...mailbox, folderId: made.folderId };
  await store.append(
    Array.from({ length: 700 }, () => newMessage(mailbox, { folder: { id: made.folderId } })),
  );
  await store.copy(folder, [{ first: 1, last: 1 }], { role: 'inbox' });
  await store.expunge(folder, { ranges: [{ first: 5, last: 9 }], isDeletedOnly: false });
  assert.equal((await store.deleteFolder(folder)).outcome, 'done');
  assert.equal(await store.snapshot(folder), null);
  assert.equal(
    (await store.append([newMessage(mailbox, { folder: { id: made.folderId } })]))[0]?.outcome,
    'no-folder',
  );
  await done(deletingFolders(db.database));
  assert.deepEqual(await uidsIn(inbox), [1]);
  assert.equal((await store.page(inbox, null, 10)).length, 1);
  for (const table of ['messages', 'messageContents', 'expunged', 'folders'] as const) {
    const { count } = await db.database
      .selectFrom(table)
      .select((row) => row.fn.countAll<string>().as('count'))
      .where('mailboxId', '=', mailbox.mailboxId)
      .executeTakeFirstOrThrow();
    assert.equal(Number(count), { messages: 1, messageContents: 1, expunged: 0, folders: 6 }[table], table);
  }
  const [message] = await store.page(inbox, null, 1);
  assert.equal(await octetsOf(mailbox), message?.octets);
  const { storageBytes } = await readUsage(db.database, mailbox.projectId, monthOf(new Date()));
  assert.equal(storageBytes, message?.octets);
});

test('old records of expunged messages are deleted, and a query for changes since then returns null instead of a list of expunged messages', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  await store.append(Array.from({ length: 6 }, () => newMessage(mailbox)));
  const expunge = (uid: number) =>
    store.expunge(inbox, { ranges: [{ first: uid, last: uid }], isDeletedOnly: false });
  await expunge(1);
  await expunge(2);
  const since = (await store.snapshot(inbox))?.highestModseq ?? 0;
  await sql`
    update expunged set expunged_at = now() - interval '91 days' where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  await expunge(4);
  await done(forgettingExpunged(db.database));
  assert.deepEqual((await store.changesSince(inbox, since))?.vanished, [{ first: 4, last: 4 }]);
  assert.equal((await store.changesSince(inbox, since - 1))?.vanished, null);
});

test('the owner of a mailbox gets one warning each time the usage reaches 80 % or 95 % of the quota', async () => {
  const mailbox = await newMailbox(db.database, { quotaMb: 1 });
  const inbox = await folderOf(mailbox, 'inbox');
  const warnings = async () => {
    await Promise.all([done(deliveringWarnings(db.database)), done(deliveringWarnings(db.database))]);
    return (await store.page(inbox, null, 50))
      .map(({ subject }) => subject)
      .filter((subject) => subject !== '');
  };
  const fullSince = async () => {
    const quota = (await readQuotas(db.database, [mailbox])).get(mailbox.mailboxId);
    assert.ok(quota);
    return quota.fullSince;
  };
  const put = async (share: number) =>
    assert.equal((await store.append([sized(mailbox, Math.floor(MIB * share))]))[0]?.outcome, 'stored');
  await put(0.79);
  assert.deepEqual(await warnings(), []);
  await put(0.01);
  await put(0.005);
  const [first, second] = ['Your mailbox is 80% full', 'Your mailbox is 95% full'];
  assert.deepEqual(await warnings(), [first]);
  assert.deepEqual(await warnings(), [first]);
  await put(0.15);
  assert.deepEqual(await warnings(), [second, first]);
  assert.equal((await store.append([sized(mailbox, MIB / 10)]))[0]?.outcome, 'over-quota');
  assert.notEqual(await fullSince(), null);
  assert.deepEqual(await warnings(), [second, first]);
  await store.expunge(inbox, { ranges: null, isDeletedOnly: false });
  assert.equal(await fullSince(), null);
  await put(0.9);
  assert.deepEqual(await warnings(), [first]);
});
