import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newMailbox } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { MAX_FOLDERS } from '../store/folders.ts';
import { Store } from '../store/store.ts';
import { findOrCreateFolder } from './target-folder.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

test('a folder is created once, also if another process creates it at the same time', async () => {
  const mailbox = await newMailbox(db.database);
  const made = await findOrCreateFolder(store, mailbox, { name: 'Work', subscribed: false });
  assert.deepEqual(await findOrCreateFolder(store, mailbox, { name: 'Work' }), made);
  const work = (await store.folders(mailbox)).find(({ name }) => name === 'Work');
  assert.deepEqual([made, work?.subscribed], [{ folderId: work?.id }, false]);
  let isFirst = true;
  const racing = new (class extends Store {
    override async folders(...key: Parameters<Store['folders']>) {
      const before = await super.folders(...key);
      if (isFirst) {
        isFirst = false;
        assert.equal((await super.createFolder(...key, { name: 'Raced' })).outcome, 'done');
      }
      return before;
    }
  })(db.database);
  const raced = await findOrCreateFolder(racing, mailbox, { name: 'Raced' });
  assert.deepEqual(raced, {
    folderId: (await store.folders(mailbox)).find(({ name }) => name === 'Raced')?.id,
  });
});

test('the reason is returned if a folder cannot be created', async () => {
  const mailbox = await newMailbox(db.database);
  assert.deepEqual(await findOrCreateFolder(store, mailbox, { name: 'Shared/a@b' }), {
    refusal: 'its name belongs to a shared mailbox: below Shared/, use a name without @',
  });
  const before = await store.folders(mailbox);
  const more = Array.from({ length: MAX_FOLDERS - before.length }, (_, at) => ({
    projectId: mailbox.projectId,
    mailboxId: mailbox.mailboxId,
    id: crypto.randomUUID(),
    name: `f${at}`,
    uidValidity: 1,
    subscribed: false,
    unasked: false,
  }));
  await db.database.insertInto('folders').values(more).execute();
  assert.deepEqual(await findOrCreateFolder(store, mailbox, { name: 'One more' }), {
    refusal: 'the mailbox has too many folders',
  });
});

test('a mailbox that was deleted is an error', async () => {
  const mailbox = await newMailbox(db.database);
  await db.database.deleteFrom('mailboxes').where('id', '=', mailbox.mailboxId).execute();
  await assert.rejects(
    findOrCreateFolder(store, mailbox, { name: 'Work' }),
    /^AppError: The mailbox was deleted in the meantime\.$/,
  );
});
