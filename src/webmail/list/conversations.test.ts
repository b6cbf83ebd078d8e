import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { assertSound } from '../../../test/support/sound-mailbox.ts';
import type { ConversationPage, ListFilter, ListSort } from '../../contract/mail/conversations.ts';
import { FairReads } from '../../db/fair-reads.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { encodeId } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import type { FolderKey } from '../../store/in-folder.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { Store } from '../../store/store.ts';
import { MailList } from './mail-list.ts';
import { listingOlder } from '../../store/list-older.ts';

let db: TestDatabase;
let store: Store;
let lists: MailList;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  lists = new MailList({ store, reads: new FairReads(db.database, 2) });
});
after(() => db[Symbol.asyncDispose]());

const ALL = [{ first: 1, last: 100_000 }];

async function folderOf(mailbox: MailboxKey, role: FolderRole): Promise<FolderKey> {
  const folders = await store.folders(mailbox);
  return { ...mailbox, folderId: folders.find((folder) => folder.role === role)?.id ?? '' };
}

/** A message of a numbered conversation, received at the given second. */
function letter(
  mailbox: MailboxKey,
  conversation: number,
  second: number,
  { from = 'Ann', flags = 0, attachments = 0 } = {},
) {
  const root = `<${conversation}@x.example>`;
  return newMessage(mailbox, {
    flags,
    internalDate: new Date(Date.UTC(2026, 0, 1, 0, 0, second)),
    facts: {
      messageId: `<${conversation}.${second}@x.example>`,
      references: [root],
      subject: `Re: plan ${conversation}`,
      baseSubject: `plan ${conversation}`,
      preview: `text ${second}`,
      attachments,
      from: [{ name: from, address: `${from.toLowerCase()}@x.example` }],
      to: [{ name: '', address: 'me@x.example' }],
    },
  });
}

function pageOf(folder: FolderKey, query: { at?: number; cursor?: string; limit?: number } = {}) {
  return lists.conversations(folder, { limit: 50, folder: encodeId('fld', folder.folderId), ...query });
}

const subjects = (page: ConversationPage | null) =>
  page?.data.map(({ subject }) => subject.slice(-1)).join('');

test('a row describes the messages of a conversation in its folder, and is correct after every change of these messages', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  const archive = await folderOf(mailbox, 'archive');
  await store.append([
    letter(mailbox, 1, 1, { from: 'Ann', flags: FLAG.seen }),
    letter(mailbox, 2, 2, { attachments: 1 }),
    letter(mailbox, 1, 3, { from: 'Bob' }),
  ]);
  await store.append([letter(mailbox, 1, 4, { from: 'Ann', flags: FLAG.seen | FLAG.flagged })]);
  const [row, other] = (await pageOf(inbox))?.data ?? [];
  assert.partialDeepStrictEqual(row, {
    subject: 'plan 1',
    preview: 'text 4',
    newest_at: '2026-01-01T00:00:04.000Z',
    messages: 3,
    unread: 1,
    starred: 1,
    answered: false,
    has_file: false,
    has_draft: false,
    from: [
      { name: 'Bob', address: 'bob@x.example', unread: true },
      { name: 'Ann', address: 'ann@x.example', unread: false },
    ],
    to: [{ name: null, address: 'me@x.example' }],
  });
  assert.equal(row?.message_ids.length, 3);
  assert.partialDeepStrictEqual(other, { messages: 1, unread: 1, has_file: true });
  await assertSound(db.database, mailbox);

  // After the newest message is moved away, the row describes the newest of the remaining messages.
  await store.move(inbox, [{ first: 4, last: 4 }], { role: 'archive' });
  await store.flag(inbox, ALL, { op: 'add', flags: FLAG.seen | FLAG.draft, keywords: [] });
  const after = (await pageOf(inbox))?.data ?? [];
  assert.deepEqual(
    after.map(({ preview, messages, unread, starred, has_draft }) => [
      preview,
      messages,
      unread,
      starred,
      has_draft,
    ]),
    [
      ['text 3', 2, 0, 0, true],
      ['text 2', 1, 0, 0, true],
    ],
  );
  assert.partialDeepStrictEqual((await pageOf(archive))?.data, [{ id: row?.id, messages: 1, starred: 1 }]);
  await store.copy(archive, ALL, { id: inbox.folderId });
  await store.expunge(inbox, { ranges: [{ first: 2, last: 3 }], isDeletedOnly: false });
  await assertSound(db.database, mailbox);
  assert.partialDeepStrictEqual(await pageOf(inbox), {
    total: 1,
    first_row: 0,
    next: null,
    previous: null,
    is_complete: true,
    data: [{ id: row?.id, messages: 2, preview: 'text 4' }],
  });
  await store.expunge(inbox, { ranges: null, isDeletedOnly: false });
  assert.partialDeepStrictEqual(await pageOf(inbox), { total: 0, data: [] });
  await assertSound(db.database, mailbox);
});

test('a list of conversations can be read in pages in both directions, and from any row', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  // Two messages have the same second, so they are sorted by UID.
  await store.append(Array.from({ length: 10 }, (_, n) => letter(mailbox, n, Math.floor(n / 2))));
  const seen: string[] = [];
  const firstRows: number[] = [];
  let page = await pageOf(inbox, { limit: 4 });
  for (;;) {
    seen.push(subjects(page) ?? '');
    firstRows.push(page?.first_row ?? -1);
    if (page?.next == null) break;
    page = await pageOf(inbox, { limit: 4, cursor: page.next });
  }
  assert.deepEqual(
    [seen, firstRows],
    [
      ['9876', '5432', '10'],
      [0, 4, 8],
    ],
  );
  page = await pageOf(inbox, { limit: 4, cursor: page?.previous ?? '' });
  assert.deepEqual([subjects(page), page?.first_row], ['5432', 4]);
  page = await pageOf(inbox, { limit: 4, cursor: page?.previous ?? '' });
  assert.deepEqual([subjects(page), page?.first_row, page?.previous], ['9876', 0, null]);
  for (const [at, rows] of [
    [2, '765'],
    [6, '321'],
    [9, '0'],
    [10, ''],
  ] as const)
    assert.equal(subjects(await pageOf(inbox, { at, limit: 3 })), rows, `${at}`);
  assert.equal(await pageOf({ ...inbox, folderId: mailbox.mailboxId }), null);
  for (const cursor of [
    'x',
    'bm8',
    Buffer.from('o 1 2').toString('base64url'),
    Buffer.from('o 1 2 -3').toString('base64url'),
  ])
    await assert.rejects(pageOf(inbox, { cursor }), { code: 'validation-failed' });
});

test('older mail is listed, newest first, while new mail arrives, until the list is complete', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  await store.append(Array.from({ length: 9 }, (_, n) => letter(mailbox, n % 4, n, { flags: n % 2 })));
  await sql`delete from conversations where mailbox_id = ${mailbox.mailboxId}`.execute(db.database);
  await sql`
    update folders set unlisted_below = 2147483647, conversations = 0 where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  await store.append([letter(mailbox, 1, 20)]);
  await store.flag(inbox, [{ first: 3, last: 5 }], { op: 'add', flags: FLAG.flagged, keywords: [] });
  await assertSound(db.database, mailbox);
  // With the folder partly listed, messages added and removed on both sides of the boundary are counted once.
  await sql`update folders set unlisted_below = 6 where mailbox_id = ${mailbox.mailboxId} and role = 'inbox'`.execute(
    db.database,
  );
  await sql`
    insert into conversations select m.project_id, m.mailbox_id, folder_id, thread_id, max(internal_date), max(uid), count(*),
      count(*) filter (where flags & 1 = 0), 0, 0, 0
    from messages m join message_contents c using (object_id) where m.mailbox_id = ${mailbox.mailboxId} and uid >= 6
    group by 1, 2, 3, 4`.execute(db.database);
  await sql`
    update folders set conversations = (select count(*) from conversations c where c.folder_id = id)
    where mailbox_id = ${mailbox.mailboxId}`.execute(db.database);
  await store.append([letter(mailbox, 7, 30)]);
  await store.expunge(inbox, {
    ranges: [
      { first: 2, last: 2 },
      { first: 7, last: 7 },
    ],
    isDeletedOnly: false,
  });
  await assertSound(db.database, mailbox);
  for await (const _ of listingOlder(db.database));
  assert.partialDeepStrictEqual(await pageOf(inbox), { is_complete: true, total: 5 });
  await assertSound(db.database, mailbox);
});

test('opening a folder that is not listed yet completes its list', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  await sql`update folders set unlisted_below = 2147483647 where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  await store.append([letter(mailbox, 1, 1)]);
  assert.partialDeepStrictEqual(await pageOf(inbox), {
    is_complete: true,
    total: 1,
    data: [{ messages: 1 }],
  });
});

test('the changes since a state are the added, changed and removed conversations', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox, archive] = [await folderOf(mailbox, 'inbox'), await folderOf(mailbox, 'archive')];
  await store.append([
    letter(mailbox, 1, 1),
    letter(mailbox, 2, 2),
    letter(mailbox, 2, 3),
    letter(mailbox, 3, 4),
  ]);
  const { state, data } = (await pageOf(inbox)) ?? { state: '', data: [] };
  const [three, two, one] = data.map(({ id }) => id);
  assert.deepEqual((await lists.changes(mailbox, state)).conversations, { changed: [], gone: [] });
  await store.move(inbox, [{ first: 1, last: 2 }], { role: 'archive' });
  await store.flag(inbox, [{ first: 4, last: 4 }], { op: 'add', flags: FLAG.seen, keywords: [] });
  await store.createFolder(mailbox, { name: 'Plans' });
  const { conversations, folders, too_many, ...after } = await lists.changes(mailbox, state);
  assert.equal(too_many, false);
  const [inInbox, inArchive] = [inbox, archive].map(({ folderId }) => encodeId('fld', folderId));
  assert.deepEqual(
    conversations.changed.map(({ folder, id, messages, unread }) => [folder, id, messages, unread]).sort(),
    [
      [inInbox, two, 1, 1],
      [inInbox, three, 1, 0],
      [inArchive, one, 1, 1],
      [inArchive, two, 1, 1],
    ].sort(),
  );
  assert.deepEqual(conversations.gone, [{ folder: inInbox, id: one }]);
  assert.deepEqual(folders.map(({ path, unread }) => [path, unread]).slice(0, 7), [
    ['INBOX', 1],
    ['Drafts', 0],
    ['Sent', 0],
    ['Archive', 2],
    ['Junk', 0],
    ['Trash', 0],
    ['Plans', 0],
  ]);
  assert.deepEqual((await lists.changes(mailbox, after.state)).conversations, { changed: [], gone: [] });

  // Earlier versions did not record the threads of expunged messages.
  await store.expunge(inbox, { ranges: ALL, isDeletedOnly: false });
  await sql`update expunged set thread_ids = null where mailbox_id = ${mailbox.mailboxId}`.execute(
    db.database,
  );
  assert.partialDeepStrictEqual(await lists.changes(mailbox, after.state), {
    too_many: true,
    conversations: { changed: [], gone: [] },
  });
  assert.equal((await lists.changes(mailbox, 'nonsense')).too_many, true);
});

test('a conversation contains its messages from all folders, and is read from the last page backwards', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox, sent] = [await folderOf(mailbox, 'inbox'), await folderOf(mailbox, 'sent')];
  await store.append(Array.from({ length: 205 }, (_, n) => letter(mailbox, 1, n)));
  await store.append([{ ...letter(mailbox, 1, 300, { flags: FLAG.seen }), folder: { role: 'sent' } }]);
  await store.copy(sent, ALL, { id: inbox.folderId });
  const [row] = (await pageOf(inbox))?.data ?? [];
  const threadId = (await store.page(inbox, null, 1))[0]?.threadId ?? '';
  const last = await lists.conversation(mailbox, threadId, null);
  assert.partialDeepStrictEqual(last, { id: row?.id, subject: 'plan 1', total: 206 });
  assert.equal(last?.messages.length, 200);
  assert.partialDeepStrictEqual(last?.messages.at(-1), {
    seen: true,
    starred: false,
    files: 0,
    received_at: '2026-01-01T00:05:00.000Z',
    from: [{ name: 'Ann', address: 'ann@x.example' }],
  });
  assert.equal(last?.messages.at(-1)?.folders.length, 2);
  const first = await lists.conversation(mailbox, threadId, last?.previous ?? '');
  assert.deepEqual([first?.messages.length, first?.previous], [6, null]);
  assert.equal(first?.messages[0]?.received_at, '2026-01-01T00:00:00.000Z');
  assert.equal(await lists.conversation(await newMailbox(db.database), threadId, null), null);
});

test('a folder is listed by filter and in every order, from any row', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  const other = await newMailbox(db.database);
  // Conversations 0 to 7. Conversation 3 has a read and an unread message.
  const names = ['Gus', 'ada', 'Cyd', 'Bo', 'Fay', 'Eve', 'Dan', 'Hal'];
  await store.append([
    ...names.map((from, n) =>
      letter(mailbox, n, n, {
        from,
        flags: (n % 2 === 0 ? FLAG.seen : 0) | (n % 3 === 0 ? FLAG.flagged : 0),
        attachments: n < 3 ? 1 : 0,
      }),
    ),
    letter(mailbox, 3, 10, { from: 'Bo', flags: FLAG.seen }),
  ]);
  await store.append([letter(other, 9, 1)]);
  const read = async (query: { filter?: ListFilter; sort?: ListSort; at?: number; limit?: number }) => {
    const page = await lists.conversations(inbox, {
      limit: 50,
      folder: encodeId('fld', inbox.folderId),
      ...query,
    });
    return `${subjects(page)} of ${page?.total}`;
  };
  for (const [query, expected] of [
    [{ filter: 'unread' }, '3751 of 4'],
    [{ filter: 'starred' }, '360 of 3'],
    [{ filter: 'file' }, '210 of 3'],
    [{ sort: 'oldest' }, '01245673 of 8'],
    [{ sort: 'oldest', filter: 'unread' }, '1573 of 4'],
    [{ sort: 'unread' }, '37516420 of 8'],
    [{ sort: 'unread', filter: 'starred' }, '360 of 3'],
    [{ sort: 'sender' }, '13265407 of 8'],
    [{ sort: 'sender', filter: 'file' }, '120 of 3'],
  ] as const) {
    assert.equal(await read(query), expected, JSON.stringify(query));
    const rows = expected.slice(0, expected.indexOf(' '));
    // A page from any row, counted from the beginning and from the end.
    for (let at = 0; at <= rows.length; at++)
      assert.equal(
        await read({ ...query, at, limit: 3 }),
        `${rows.slice(at, at + 3)} of ${rows.length}`,
        `${JSON.stringify(query)} from ${at}`,
      );
  }
  const folder = encodeId('fld', inbox.folderId);
  const { next } = (await pageOf(inbox, { limit: 2 })) ?? { next: null };
  for (const arrangement of [{ filter: 'unread' }, { sort: 'oldest' }] as const)
    await assert.rejects(
      lists.conversations(inbox, { limit: 2, folder, cursor: next ?? '', ...arrangement }),
      { code: 'validation-failed' },
    );
});

test('a list sorted by size begins with the largest newest message', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await folderOf(mailbox, 'inbox');
  await store.append(
    [300, 900, 100, 500].map((octets, n) => ({
      ...letter(mailbox, n, n),
      blob: newMessage(mailbox, { bytes: Buffer.alloc(octets, 'x') }).blob,
    })),
  );
  const page = await lists.conversations(inbox, {
    limit: 50,
    folder: encodeId('fld', inbox.folderId),
    sort: 'size',
  });
  assert.equal(subjects(page), '1302');
});
