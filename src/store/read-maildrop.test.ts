import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { testDatabase } from '../../test/support/postgres.ts';
import { Store } from './store.ts';

test('a maildrop lists only the messages of the Inbox, with the sizes that POP3 sends', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const other = await newMailbox(db.database, { projectId: mailbox.projectId });
  await store.append([
    newMessage(mailbox, { bytes: Buffer.from('a: b\r\n\r\n') }),
    newMessage(mailbox, { bytes: Buffer.from('a\nb\n'), facts: { crlfGrowth: 2 } }),
    newMessage(mailbox, { folder: { role: 'junk' } }),
    newMessage(other),
    newMessage(mailbox),
  ]);
  const drop = await store.maildrop(mailbox);
  assert.ok(drop !== null);
  await store.expunge(drop.folder, { ranges: [{ first: 1, last: 1 }], isDeletedOnly: false });
  const inbox = (await store.folders(mailbox)).find(({ role }) => role === 'inbox');
  const again = await store.maildrop(mailbox);
  assert.deepEqual([...drop.uids], [1, 2, 3]);
  assert.deepEqual([...drop.octets].slice(0, 2), [8, 6]);
  assert.equal(drop.uidValidity, inbox?.uidValidity);
  assert.deepEqual([...(again?.uids ?? [])], [2, 3]);
  assert.equal(await store.maildrop({ ...mailbox, projectId: other.mailboxId }), null);
});

test('a maildrop with more messages than one query returns lists each message exactly once', async () => {
  await using db = await testDatabase();
  const store = new Store(db.database);
  const mailbox = await newMailbox(db.database);
  const drop = await store.maildrop(mailbox);
  assert.equal(drop?.uids.length, 0);
  const { projectId, mailboxId, folderId } = drop.folder;
  await sql`
    insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
    select ${projectId}, ${mailboxId}, ${folderId}, n * 2, n, 0, '{}', gen_random_uuid(), n, now(), now() from generate_series(1, 40000) n`.execute(
    db.database,
  );
  await sql`update folders set uid_next = 80000 where id = ${folderId}`.execute(db.database);
  const full = await store.maildrop(mailbox);
  // The last message has UID 80,000, which is `uid_next`, so it counts as a message that arrived after the list was started.
  assert.equal(full?.uids.length, 39_999);
  assert.ok(full.uids.every((uid, at) => uid === (at + 1) * 2 && full.octets[at] === at + 1));
});
