/** Tests the store against a simple model, and its consistency under concurrent use. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { assertSound } from '../../test/support/sound-mailbox.ts';
import { Mailboxes } from '../mailboxes/mailboxes.ts';
import { newUuid } from '../model/ids.ts';
import { FOLDER_ROLES, type FolderRole } from '../model/folder-roles.ts';
import type { NewMessage } from './append.ts';
import { FLAG } from './flags.ts';
import type { FolderKey } from './in-folder.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import { MailNotices } from './notices.ts';
import { readQuotas } from './usage.ts';
import { Store } from './store.ts';

let db: TestDatabase;
let store: Store;
let notices: MailNotices;
let mailboxes: Mailboxes;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  notices = new MailNotices(db.url);
  mailboxes = new Mailboxes({ database: db.database, hostedDomain: 'hosted.example' });
});
after(async () => {
  await notices[Symbol.asyncDispose]();
  await db[Symbol.asyncDispose]();
});

interface ModelMessage {
  flags: number;
  keywords: string[];
  octets: number;
}
interface ModelFolder {
  key: FolderKey;
  uidNext: number;
  messages: Map<number, ModelMessage>;
}

const ROLES = ['inbox', 'junk', 'trash'] as const satisfies FolderRole[];

async function modelOf(mailbox: MailboxKey): Promise<ModelFolder[]> {
  const folders = await store.folders(mailbox);
  return ROLES.map((role) => ({
    key: { ...mailbox, folderId: folders.find((folder) => folder.role === role)?.id ?? '' },
    uidNext: 1,
    messages: new Map(),
  }));
}

/** The state of a folder in a mail app's session. */
class View {
  readonly known = new Map<number, string>();
  modseq = 0;
  readonly #key: FolderKey;

  constructor(key: FolderKey) {
    this.#key = key;
  }

  async sync(by: Store): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const changes = await by.changesSince(this.#key, this.modseq);
      assert.ok(changes !== null && changes.modseq >= this.modseq && changes.vanished !== null);
      for (const { uid, flags, keywords, modseq } of changes.changed) {
        assert.ok(modseq > this.modseq && modseq <= changes.modseq && uid < changes.uidNext);
        this.known.set(uid, `${flags} ${keywords.join(' ')}`);
      }
      for (const { first, last } of changes.vanished)
        for (let uid = first; uid <= last; uid++) this.known.delete(uid);
      ({ modseq: this.modseq, hasMore } = changes);
    }
  }
}

function shown(messages: Iterable<[number, { flags: number; keywords: readonly string[] }]>): string[] {
  return Array.from(
    messages,
    ([uid, { flags, keywords }]) => `${uid}: ${flags} ${keywords.join(' ')}`,
  ).sort();
}

/** Reads all flags like a session. */
async function flagsIn(folder: FolderKey): Promise<string[]> {
  const all: string[] = [];
  for (let last = 0; ; ) {
    const some = await store.flags(folder, [{ first: last + 1, last: Number.POSITIVE_INFINITY }]);
    all.push(...shown(some.map((message) => [message.uid, message])));
    const end = some.at(-1);
    if (end === undefined) return all.sort();
    last = end.uid;
  }
}

const anyFlags = fc.integer({ min: 0, max: 31 });
const anyKeywords = fc.subarray(['$Forwarded', 'work', 'later']);
const anyFolder = fc.integer({ min: 0, max: ROLES.length - 1 });
/** A range of UIDs, as fractions of the highest UID assigned so far. A fraction above 1 is a UID that is not assigned yet. */
const anyRange = fc.tuple(
  fc.double({ min: 0, max: 1.1, noNaN: true }),
  fc.double({ min: 0, max: 0.4, noNaN: true }),
);

const anyOperation = fc.oneof(
  fc.record({
    op: fc.constant('append' as const),
    folder: anyFolder,
    flags: anyFlags,
    keywords: anyKeywords,
    count: fc.integer({ min: 1, max: 4 }),
    isWhole: fc.boolean(),
  }),
  fc.record({
    op: fc.constant('replace' as const),
    folder: anyFolder,
    uid: fc.double({ min: 0, max: 1.1, noNaN: true }),
    target: anyFolder,
  }),
  fc.record({
    op: fc.constant('flag' as const),
    folder: anyFolder,
    range: anyRange,
    change: fc.record({
      op: fc.constantFrom('add', 'remove', 'replace'),
      flags: anyFlags,
      keywords: anyKeywords,
    }),
    isGuarded: fc.boolean(),
  }),
  fc.record({ op: fc.constantFrom('move', 'copy'), folder: anyFolder, range: anyRange, target: anyFolder }),
  fc.record({
    op: fc.constant('expunge' as const),
    folder: anyFolder,
    range: anyRange,
    isDeletedOnly: fc.boolean(),
  }),
  fc.record({ op: fc.constant('sync' as const), session: fc.integer({ min: 0, max: 2 }), folder: anyFolder }),
);

test('flags, UIDs, MODSEQs, counters, notices and changes match a simple model', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyOperation, { minLength: 10, maxLength: 40 }), async (operations) => {
      const mailbox = await newMailbox(db.database);
      const model = await modelOf(mailbox);
      const sessions = [0, 1, 2].map(() => ({
        store: new Store(db.database),
        views: model.map(({ key }) => new View(key)),
      }));
      const noticed = new Set<string | null>();
      const changedFolders = new Set<string>();
      using _ = notices.subscribe(mailbox.mailboxId, (folderId) => noticed.add(folderId));
      for (const [at, operation] of operations.entries()) {
        const { store: by, views } = sessions[at % 3] as (typeof sessions)[number];
        const folder = model[operation.folder] as ModelFolder;
        if (operation.op === 'sync') {
          const view = views[operation.folder] as View;
          await view.sync(by);
          assert.deepEqual(
            Array.from(view.known, ([uid, text]) => `${uid}: ${text}`).sort(),
            shown(folder.messages),
          );
          continue;
        }
        if (await applied(by, operation, folder, model)) changedFolders.add(folder.key.folderId);
      }
      for (const { key, messages, uidNext } of model) {
        assert.deepEqual(await flagsIn(key), shown(messages));
        const snapshot = await store.snapshot(key);
        const uids = [...messages.keys()].sort((a, b) => a - b);
        assert.deepEqual([[...(snapshot?.uids ?? [])], snapshot?.uidNext], [uids, uidNext]);
        const isUnseen = (uid: number) => ((messages.get(uid)?.flags ?? 0) & FLAG.seen) === 0;
        assert.equal(snapshot?.firstUnseen, uids.find(isUnseen) ?? null);
        const page = await store.page(key, null, 200);
        assert.deepEqual(
          page.map(({ uid }) => uid),
          uids.toReversed(),
        );
      }
      await assertSound(db.database, mailbox);
      const unread = [...(model[0] as ModelFolder).messages.values()].filter(
        ({ flags }) => (flags & FLAG.seen) === 0,
      ).length;
      assert.equal((await mailboxes.get(mailbox.projectId, mailbox.mailboxId))?.unread, unread);
      assert.ok(await eventually(async () => [...changedFolders].every((id) => noticed.has(id)), 5_000));
    }),
    { numRuns: 20 },
  );
});

type Operation = typeof anyOperation extends fc.Arbitrary<infer T> ? Exclude<T, { op: 'sync' }> : never;

/** Applies an operation to the store and to the model. @returns whether the operation has changed the folder */
async function applied(
  by: Store,
  operation: Operation,
  folder: ModelFolder,
  model: ModelFolder[],
): Promise<boolean> {
  const { key, messages } = folder;
  if (operation.op === 'append') {
    const { count, flags, keywords, isWhole } = operation;
    const batch = Array.from({ length: count }, () =>
      newMessage(key, { folder: { id: key.folderId }, flags, keywords, facts: { messageId: '<same@a>' } }),
    );
    const results = await (isWhole ? by.appendWhole(batch) : by.append(batch));
    for (const [at, result] of results.entries()) {
      assert.ok(result.outcome === 'stored' && result.uid === folder.uidNext);
      messages.set(folder.uidNext++, {
        flags,
        keywords: [...keywords].sort(),
        octets: batch[at]?.blob.size ?? 0,
      });
    }
    return true;
  }
  if (operation.op === 'replace') {
    const uid = Math.max(1, Math.round(operation.uid * folder.uidNext));
    const target = model[operation.target] as ModelFolder;
    const message = newMessage(key, { folder: { id: target.key.folderId }, flags: FLAG.draft });
    const result = await by.replace(key, uid, message);
    assert.equal(result.outcome, messages.delete(uid) ? 'stored' : 'no-message');
    if (result.outcome !== 'stored') return false;
    assert.equal(result.uid, target.uidNext);
    target.messages.set(target.uidNext++, { flags: FLAG.draft, keywords: [], octets: message.blob.size });
    return true;
  }
  const first = Math.max(1, Math.round(operation.range[0] * folder.uidNext));
  const range = { first, last: first + Math.round(operation.range[1] * folder.uidNext) };
  const named = [...messages]
    .filter(([uid]) => uid >= range.first && uid <= range.last)
    .sort(([a], [b]) => a - b);
  if (operation.op === 'flag') {
    const { op, flags, keywords } = operation.change;
    const highest = (await by.snapshot(key))?.highestModseq ?? 0;
    const result = await by.flag(key, [range], {
      op,
      flags,
      keywords,
      ...(operation.isGuarded ? { unchangedSince: highest - 2 } : {}),
    });
    assert.equal(result.outcome, 'flagged');
    if (result.outcome !== 'flagged') return false;
    assert.deepEqual(
      [...result.messages.map(({ uid }) => uid), ...result.modified].sort((a, b) => a - b),
      named.map(([uid]) => uid),
    );
    if (!operation.isGuarded) assert.deepEqual(result.modified, []);
    let hasChanged = false;
    for (const [uid, message] of named) {
      if (result.modified.includes(uid)) continue;
      const before = shown([[uid, message]]).join();
      const add = (list: string[]) => [...new Set([...list, ...keywords])].sort();
      message.flags = op === 'add' ? message.flags | flags : op === 'remove' ? message.flags & ~flags : flags;
      message.keywords =
        op === 'add'
          ? add(message.keywords)
          : op === 'remove'
            ? message.keywords.filter((one) => !keywords.includes(one))
            : add([]);
      hasChanged ||= shown([[uid, message]]).join() !== before;
      const returned: { flags: number; keywords: string[] } | undefined = result.messages.find(
        (one) => one.uid === uid,
      );
      assert.deepEqual([returned?.flags, returned?.keywords], [message.flags, message.keywords]);
    }
    assert.equal((await by.snapshot(key))?.highestModseq, highest + (hasChanged ? 1 : 0));
    return hasChanged;
  }
  if (operation.op === 'expunge') {
    const gone = named
      .filter(([, { flags }]) => !operation.isDeletedOnly || (flags & FLAG.deleted) !== 0)
      .map(([uid]) => uid);
    assert.deepEqual(
      await by.expunge(key, { ranges: [range], isDeletedOnly: operation.isDeletedOnly }),
      gone,
    );
    for (const uid of gone) messages.delete(uid);
    return gone.length > 0;
  }
  const target = model[operation.target] as ModelFolder;
  const result = await by[operation.op === 'move' ? 'move' : 'copy'](key, [range], {
    id: target.key.folderId,
  });
  assert.equal(result.outcome, 'filed');
  if (result.outcome !== 'filed') return false;
  assert.deepEqual(
    result.uids,
    named.map(([uid], at) => ({ from: uid, to: target.uidNext + at })),
  );
  for (const [uid, message] of named) {
    if (operation.op === 'move') messages.delete(uid);
    target.messages.set(target.uidNext++, { ...message });
  }
  return operation.op === 'move' && named.length > 0;
}

test('concurrent writers and a session that follows notices end in the same state', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox, junk, trash] = (await modelOf(mailbox)).map(({ key }) => key) as [
    FolderKey,
    FolderKey,
    FolderKey,
  ];
  const stores = [store, new Store(db.database), new Store(db.database)];
  const views = [inbox, junk, trash].map((key) => ({ key, view: new View(key), due: false }));
  let syncing = Promise.resolve();
  using _ = notices.subscribe(mailbox.mailboxId, (folderId) => {
    for (const { key, view } of views)
      if (folderId === null || key.folderId === folderId) syncing = syncing.then(() => view.sync(store));
  });
  const everything = [{ first: 1, last: 1_000 }];
  await Promise.all(
    Array.from({ length: 60 }, async (_, at) => {
      const by = stores[at % 3] as Store;
      await by.append([newMessage(mailbox), newMessage(mailbox, { folder: { role: 'junk' } })]);
      if (at % 3 === 0)
        await by.flag(inbox, everything, { op: 'add', flags: FLAG.seen, keywords: [`k${at}`] });
      if (at % 5 === 0) await by.move(junk, everything, { role: 'inbox' });
      if (at % 7 === 0) await by.copy(inbox, [{ first: 1, last: 5 }], { role: 'trash' });
      if (at % 11 === 0)
        await by.expunge(inbox, { ranges: [{ first: at, last: at + 3 }], isDeletedOnly: false });
    }),
  );
  await assertSound(db.database, mailbox);
  for (const { key, view } of views) {
    const snapshot = await store.snapshot(key);
    assert.ok(await eventually(async () => view.modseq === snapshot?.highestModseq, 5_000));
    await syncing;
    assert.deepEqual(Array.from(view.known, ([uid, text]) => `${uid}: ${text}`).sort(), await flagsIn(key));
  }
});

test('an operation with a folder id of another mailbox reads and changes nothing', async () => {
  const [mine, foreign] = [await newMailbox(db.database), await newMailbox(db.database)];
  await store.append([newMessage(mine), newMessage(foreign)]);
  await store.createFolder(foreign, { name: 'Theirs' });
  const folders = await store.folders(foreign);
  const folderId = folders.find(({ role }) => role === 'inbox')?.id ?? '';
  const own = (await store.folders(mine)).find(({ role }) => role === 'inbox')?.id ?? '';
  const all = [{ first: 1, last: 9 }];
  const before = await store.snapshot({ ...foreign, folderId });
  const MIXED: FolderKey[] = [
    { ...mine, folderId },
    { projectId: mine.projectId, mailboxId: foreign.mailboxId, folderId },
    { projectId: foreign.projectId, mailboxId: mine.mailboxId, folderId },
  ];
  for (const key of MIXED) {
    const isNone = (result: { outcome: string }) =>
      assert.ok(['no-folder', 'no-mailbox'].includes(result.outcome), result.outcome);
    isNone(await store.flag(key, all, { op: 'add', flags: 31, keywords: [] }));
    isNone(await store.copy(key, all, { role: 'trash' }));
    isNone(await store.move(key, all, { role: 'trash' }));
    isNone(await store.renameFolder(key, 'Theirs', 'Mine'));
    isNone(await store.deleteFolder(key));
    assert.equal(await store.expunge(key, { ranges: null, isDeletedOnly: false }), null);
    assert.equal((await store.replace(key, 1, newMessage(mine))).outcome, 'no-folder');
    assert.deepEqual(await store.page(key, null, 50), []);
    assert.deepEqual(await store.messages(key, all), []);
    assert.deepEqual(await store.structures(key, all), []);
    assert.equal(await store.snapshot(key), null);
    assert.deepEqual(await store.flags(key, all), []);
    assert.equal(await store.takeRecent(key), null);
    assert.equal(await store.changesSince(key, 0), null);
  }
  assert.deepEqual(await store.copy({ ...mine, folderId: own }, all, { id: folderId }), {
    outcome: 'no-target',
  });
  assert.deepEqual(await store.move({ ...mine, folderId: own }, all, { id: folderId }), {
    outcome: 'no-target',
  });
  assert.deepEqual(await store.folders({ projectId: mine.projectId, mailboxId: foreign.mailboxId }), []);
  const mixed = { projectId: mine.projectId, mailboxId: foreign.mailboxId };
  assert.equal((await readQuotas(db.database, [mixed])).size, 0);
  assert.deepEqual(await store.snapshot({ ...foreign, folderId }), before);
  assert.deepEqual(await store.folders(foreign), folders);
});

test('many messages are flagged, moved and expunged in batches, and copied completely or not at all', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox, , trash] = (await modelOf(mailbox)).map(({ key }) => key) as [
    FolderKey,
    FolderKey,
    FolderKey,
  ];
  await store.append(Array.from({ length: 2_300 }, () => newMessage(mailbox)));
  const all = [{ first: 1, last: 2_300 }];
  const flagged = await store.flag(inbox, all, { op: 'add', flags: FLAG.seen, keywords: [] });
  assert.equal(flagged.outcome === 'flagged' && flagged.messages.length, 2_300);
  const copied = await store.copy(inbox, all, { role: 'trash' });
  assert.equal(copied.outcome === 'filed' && copied.uids.at(-1)?.to, 2_300);
  const again = await store.move(inbox, all, { role: 'inbox' });
  assert.equal(again.outcome === 'filed' && again.uids.at(-1)?.to, 4_600);
  assert.equal((await store.expunge(trash, { ranges: null, isDeletedOnly: false }))?.length, 2_300);
  await assertSound(db.database, mailbox);
});

test('more messages than fit into one transaction are copied completely or not at all', async () => {
  const mailbox = await newMailbox(db.database, { quotaMb: 1 });
  const [inbox, , trash] = (await modelOf(mailbox)).map(({ key }) => key) as [
    FolderKey,
    FolderKey,
    FolderKey,
  ];
  const folder = sql`${inbox.projectId}::uuid, ${inbox.mailboxId}::uuid, ${inbox.folderId}::uuid`;
  await sql`
    insert into messages select ${folder}, n, 2, 0, '{}', gen_random_uuid(), 100, now(), now() from generate_series(1, 11000) n`.execute(
    db.database,
  );
  await sql`update folders set uid_next = 11001, highest_modseq = 2, messages = 11000 where id = ${inbox.folderId}`.execute(
    db.database,
  );
  // In production, autovacuum would soon analyze these tables. While only some of these tables are analyzed, the plan of the triggers
  // compares each message with each row of message_contents, and an update of all messages exceeds the statement timeout.
  const analyze = sql`analyze folders, messages, message_contents, conversations`;
  await analyze.execute(db.database);
  const all = [{ first: 1, last: 11_000 }];
  // The quota has space only for the messages of the first transaction.
  assert.deepEqual(await store.copy(inbox, all, { role: 'trash' }), { outcome: 'over-quota' });
  assert.equal((await store.snapshot(trash))?.uidNext, 1);
  await sql`update messages set octets = 20 where folder_id = ${inbox.folderId}`.execute(db.database);
  const copied = await store.copy(inbox, all, { role: 'inbox' });
  assert.ok(copied.outcome === 'filed');
  assert.deepEqual([copied.uids.length, copied.uids.at(-1)], [11_000, { from: 11_000, to: 22_000 }]);
  // The last message cannot be copied.
  await sql`
    update messages set keywords = array(select 'k' || n from generate_series(1, 101) n)
    where folder_id = ${inbox.folderId} and uid = 11000`.execute(db.database);
  assert.deepEqual(await store.copy(inbox, all, { role: 'trash' }), { outcome: 'bad-keywords' });
  assert.deepEqual(await flagsIn(trash), []);
  // The copy of the last message cannot be inserted.
  await sql`update messages set keywords = '{}' where folder_id = ${inbox.folderId}`.execute(db.database);
  const lastUid = ((await store.snapshot(trash))?.uidNext ?? 0) + 10_999;
  const isAnother = sql`folder_id <> ${sql.lit(trash.folderId)} or uid <> ${sql.lit(lastUid)}`;
  await sql`alter table messages add constraint last_one check (${isAnother}) not valid`.execute(db.database);
  try {
    await assert.rejects(store.copy(inbox, all, { role: 'trash' }), /last_one/);
  } finally {
    await sql`alter table messages drop constraint last_one`.execute(db.database);
    // Makes PostgreSQL plan the triggers again, also for the tests below.
    await analyze.execute(db.database);
  }
  assert.deepEqual(await flagsIn(trash), []);
});

test('more messages and changes than fit into one result are returned in parts', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox] = (await modelOf(mailbox)).map(({ key }) => key) as [FolderKey];
  const folder = sql`${inbox.projectId}::uuid, ${inbox.mailboxId}::uuid, ${inbox.folderId}::uuid`;
  // Each thousand messages share a MODSEQ, as after flagging many at once. Every other UID was expunged.
  await sql`
    insert into messages select ${folder}, n * 2, 2 + n / 1000, 0, '{}', gen_random_uuid(), 1, now(), now()
    from generate_series(1, 45000) n`.execute(db.database);
  await sql`
    insert into expunged select ${folder}, 100 + n / 1000, n * 2 - 1, n * 2 - 1, now() from generate_series(1, 45000) n`.execute(
    db.database,
  );
  await sql`
    update folders set uid_next = 90001, highest_modseq = 200, messages = 45000 where id = ${inbox.folderId}`.execute(
    db.database,
  );
  const view = new View(inbox);
  for (let uid = 1; uid < 90_000; uid += 2) view.known.set(uid, 'gone');
  await view.sync(store);
  assert.deepEqual([view.known.size, view.modseq], [45_000, 200]);
  assert.ok([...view.known.keys()].every((uid) => uid % 2 === 0));
  assert.equal((await flagsIn(inbox)).length, 45_000);
  await sql`
    insert into messages select ${folder}, 90001 + n, 201, 0, '{}', gen_random_uuid(), 1, now(), now()
    from generate_series(1, 60000) n`.execute(db.database);
  const uids = (await store.snapshot(inbox))?.uids ?? new Uint32Array();
  assert.deepEqual([uids.length, uids.at(-1)], [105_000, 150_001]);
  assert.ok(uids.every((uid, at) => at === 0 || uid > (uids[at - 1] ?? 0)));
});

test('new messages are recent for the first session that selects the folder read-write, and for all read-only sessions', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox] = (await modelOf(mailbox)).map(({ key }) => key) as [FolderKey];
  assert.equal(await store.takeRecent(inbox), null);
  await store.append([newMessage(mailbox), newMessage(mailbox)]);
  assert.equal((await store.snapshot(inbox))?.recentUid, 1);
  const takers = await Promise.all([0, 1, 2].map(() => new Store(db.database).takeRecent(inbox)));
  assert.deepEqual(
    takers.filter((taken) => taken !== null),
    [{ first: 1, last: 2 }],
  );
  assert.equal((await store.snapshot(inbox))?.recentUid, 3);
  await store.append([newMessage(mailbox)]);
  assert.deepEqual(await store.takeRecent(inbox), { first: 3, last: 3 });
});

test('a call stores all messages or none, and a message can replace another one if the quota suffices after the old message is deleted', async () => {
  const mailbox = await newMailbox(db.database, { quotaMb: 1 });
  const [inbox, junk] = (await modelOf(mailbox)).map(({ key }) => key) as [FolderKey, FolderKey];
  const large = () => newMessage(mailbox, { bytes: randomBytes(600_000) });
  const outcomes = async (messages: NewMessage[]) =>
    (await store.appendWhole(messages)).map(({ outcome }) => outcome);
  assert.deepEqual(await outcomes([newMessage(mailbox), large(), large()]), Array(3).fill('over-quota'));
  assert.equal((await store.snapshot(inbox))?.uidNext, 1);
  assert.deepEqual(await outcomes([newMessage(mailbox), large()]), ['stored', 'stored']);
  assert.equal((await store.replace(inbox, 1, large())).outcome, 'over-quota');
  assert.equal((await store.replace(inbox, 9, large())).outcome, 'no-message');
  const nowhere = newMessage(mailbox, { folder: { id: mailbox.mailboxId } });
  assert.equal((await store.replace(inbox, 2, nowhere)).outcome, 'no-folder');
  assert.deepEqual([...((await store.snapshot(inbox))?.uids ?? [])], [1, 2]);
  const changesSince = (await store.snapshot(inbox))?.highestModseq ?? 0;
  assert.equal((await store.replace(inbox, 2, large())).outcome, 'stored');
  const changes = await store.changesSince(inbox, changesSince);
  assert.deepEqual(
    [changes?.vanished, changes?.changed.map(({ uid }) => uid)],
    [[{ first: 2, last: 2 }], [3]],
  );
  assert.equal((await store.replace(inbox, 3, { ...large(), folder: { role: 'junk' } })).outcome, 'stored');
  assert.deepEqual([...((await store.snapshot(junk))?.uids ?? [])], [1]);
  await assertSound(db.database, mailbox);
  assert.ok(((await store.quota(mailbox))?.octets ?? 0) > 600_000);
});

test('renaming the Inbox moves its messages to a new folder, and keeps the Inbox', async () => {
  const mailbox = await newMailbox(db.database);
  await store.append([newMessage(mailbox), newMessage(mailbox)]);
  const [inbox] = (await modelOf(mailbox)).map(({ key }) => key) as [FolderKey];
  assert.equal((await store.renameInbox(inbox, 'Sent')).outcome, 'taken');
  assert.equal((await store.renameInbox({ ...inbox, folderId: newUuid() }, 'gone')).outcome, 'no-folder');
  const made = await store.renameInbox(inbox, 'old/mail');
  assert.ok(made.outcome === 'done');
  const uidsOf = async (folderId: string) => [
    ...((await store.snapshot({ ...mailbox, folderId }))?.uids ?? []),
  ];
  assert.deepEqual([await uidsOf(inbox.folderId), await uidsOf(made.folderId)], [[], [1, 2]]);
  await store.append([newMessage(mailbox)]);
  assert.deepEqual(await uidsOf(inbox.folderId), [3]);
  await assertSound(db.database, mailbox);
});

test('a name stays subscribed when its folder is deleted or renamed, until the user unsubscribes the name', async () => {
  const mailbox = await newMailbox(db.database);
  const shown = async () => [
    ...(await store.folders(mailbox)).filter(({ subscribed, role }) => subscribed && role === null),
    ...(await store.subscriptions(mailbox)).map((name) => ({ name: `(${name})` })),
  ];
  const names = async () => (await shown()).map(({ name }) => name);
  const make = async (name: string, subscribed: boolean) => {
    const made = await store.createFolder(mailbox, { name, subscribed, uses: ['sent'] });
    assert.ok(made.outcome === 'done');
    return { ...mailbox, folderId: made.folderId };
  };
  const folderOf = async (path: string) => ({
    ...mailbox,
    folderId: (await store.folders(mailbox)).find(({ name }) => name === path)?.id ?? '',
  });
  const first = await make('a', false);
  assert.deepEqual(await names(), []);
  assert.equal(await store.subscribe(mailbox, 'a', true), true);
  assert.deepEqual((await store.folders(mailbox)).find(({ name }) => name === 'a')?.uses, ['sent']);
  await store.renameFolder(mailbox, 'a', 'b');
  assert.deepEqual(await names(), ['(a)']);
  assert.equal(await store.subscribe(mailbox, 'b', true), true);
  assert.equal(await store.subscribe(mailbox, 'a', false), true);
  assert.deepEqual(await names(), ['b']);
  await store.deleteFolder(first);
  assert.deepEqual(await names(), ['(b)']);
  assert.equal(await store.subscribe(mailbox, 'b', true), true);
  assert.equal(await store.subscribe(mailbox, 'c', true), false);
  await store.deleteFolder(await make('b', false));
  assert.deepEqual(await names(), ['(b)']);
  await make('c', false);
  await store.renameFolder(mailbox, 'c', 'b');
  assert.deepEqual(await names(), ['b']);
  assert.equal(await store.subscribe(mailbox, 'b', false), true);
  assert.deepEqual(await names(), []);
  // The folder d is deleted, so d/d can be renamed to d. The renaming also gives d/d/d the name d/d, which was in use before.
  await make('d/d/d', true);
  await store.deleteFolder(await folderOf('d'));
  assert.equal(await store.subscribe(mailbox, 'd', false), true);
  assert.deepEqual((await names()).sort(), ['d/d', 'd/d/d']);
  await store.renameFolder(mailbox, 'd/d', 'd');
  assert.deepEqual((await names()).sort(), ['(d/d/d)', 'd/d']);
});

test('the STATUS counts are correct', async () => {
  const mailbox = await newMailbox(db.database);
  const [inbox] = (await modelOf(mailbox)).map(({ key }) => key) as [FolderKey];
  const counts = async () =>
    (await store.counts(mailbox, { folderId: null, deleted: true })).get(inbox.folderId);
  assert.deepEqual(await counts(), { deleted: 0, deletedOctets: 0, recent: 0 });
  await store.append([1, 2, 3].map(() => newMessage(mailbox)));
  const octets = newMessage(mailbox).blob.size;
  assert.deepEqual(await counts(), { deleted: 0, deletedOctets: 0, recent: 3 });
  await store.takeRecent(inbox);
  await store.flag(inbox, [{ first: 2, last: 3 }], { op: 'add', flags: FLAG.deleted, keywords: [] });
  await store.append([newMessage(mailbox)]);
  assert.deepEqual(await counts(), { deleted: 2, deletedOctets: 2 * octets, recent: 1 });
  await store.expunge(inbox, { ranges: null, isDeletedOnly: true });
  assert.deepEqual(await counts(), { deleted: 0, deletedOctets: 0, recent: 1 });
});

const NAMES: [name: string, expected: string | null][] = [
  ['Work', 'Work'],
  ['Work/2026/May', 'Work/2026/May'],
  ['inbox/Bills', 'INBOX/Bills'],
  ['Cafe\u0301', 'Caf\u00e9'],
  ['Ärger 😀', 'Ärger 😀'],
  ['inbox', null],
  ['Sent', null],
  ['', null],
  ['/Work', null],
  ['Work/', null],
  ['a//b', null],
  [' Work', null],
  ['a%b', null],
  ['a*', null],
  ['#news', null],
  ['a\nb', null],
  ['a\0b', null],
  ['\ud800', null],
  ['x'.repeat(256), null],
  [Array(11).fill('a').join('/'), null],
];
test('a folder is created, with its missing parents, only if every client can show its name', async () => {
  const mailbox = await newMailbox(db.database);
  for (const [name, expected] of NAMES) {
    const result = await store.createFolder(mailbox, { name });
    assert.equal(result.outcome === 'done', expected !== null, JSON.stringify(name));
    if (result.outcome !== 'done') continue;
    const folders = await store.folders(mailbox);
    assert.equal(folders.find(({ id }) => id === result.folderId)?.name, expected);
  }
  const folders = await store.folders(mailbox);
  assert.ok(folders.some(({ name }) => name === 'Work/2026'));
  assert.equal(new Set(folders.map(({ uidValidity }) => uidValidity)).size, folders.length);
});

test('folders are renamed with their subfolders, and deleted; the Inbox cannot be renamed, and standard folders cannot be deleted', async () => {
  const mailbox = await newMailbox(db.database);
  const idOf = async (name: string) =>
    (await store.folders(mailbox)).find((folder) => folder.name === name)?.id ?? '';
  const key = async (name: string): Promise<FolderKey> => ({ ...mailbox, folderId: await idOf(name) });
  await store.createFolder(mailbox, { name: 'a/b/c' });
  await store.createFolder(mailbox, { name: 'taken' });
  const TRIES: [from: string, to: string, outcome: string][] = [
    ['a', 'taken', 'taken'],
    ['a', 'a/b/d', 'bad-name'],
    ['a/b/c', Array(10).fill('x').join('/'), 'done'],
    ['a', 'new/place', 'done'],
    ['a', 'b', 'no-folder'],
    ['INBOX', 'old', 'has-role'],
    ['Sent', 'Gesendet', 'done'],
  ];
  for (const [from, to, outcome] of TRIES)
    assert.equal((await store.renameFolder(mailbox, from, to)).outcome, outcome, `${from} to ${to}`);
  const names = (await store.folders(mailbox)).map(({ name }) => name);
  assert.ok(['new', 'new/place', 'new/place/b', 'Gesendet', 'x/x'].every((name) => names.includes(name)));
  assert.equal((await store.deleteFolder(await key('new'))).outcome, 'done');
  assert.ok((await store.folders(mailbox)).some(({ name }) => name === 'new/place'));
  assert.equal((await store.renameFolder(mailbox, 'new', 'newer')).outcome, 'done');
  assert.ok((await store.folders(mailbox)).some(({ name }) => name === 'newer/place/b'));
  assert.equal((await store.deleteFolder(await key('Gesendet'))).outcome, 'has-role');
  const validity = (await store.folders(mailbox)).find(({ name }) => name === 'taken')?.uidValidity ?? 0;
  assert.equal((await store.deleteFolder(await key('taken'))).outcome, 'done');
  const made = await store.createFolder(mailbox, { name: 'taken' });
  assert.ok(made.outcome === 'done' && made.uidValidity > validity);
  for (const name of Object.values(FOLDER_ROLES)) assert.ok(name === 'Sent' || names.includes(name));
  const many = await Promise.all(
    Array.from({ length: 1_000 }, (_, at) => store.createFolder(mailbox, { name: `f${at}` })),
  );
  assert.ok(many.some(({ outcome }) => outcome === 'too-many'));
  assert.equal((await store.folders(mailbox)).length, 1_000);
});

test('notifying all subscribers does not block the event loop', async () => {
  await using own = new MailNotices(db.url);
  const allNotified = Promise.withResolvers<number>();
  let [count, ticks] = [0, 0];
  for (let n = 0; n < 100; n++)
    own.subscribe(newUuid(), () => {
      if (count++ === 0) setImmediate(() => ticks++);
      if (count === 100) allNotified.resolve(ticks);
    });
  assert.equal(await allNotified.promise, 1);
});
