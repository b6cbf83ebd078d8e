/** Writes of several sessions to one mailbox at the same time. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../test/support/eventually.ts';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { assertSound } from '../../test/support/sound-mailbox.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { changeFlags, type FlagChange, type FlagResult } from './change-flags.ts';
import { FLAG } from './flags.ts';
import { type FolderKey, MailDatabase, type SharedWrite } from './in-folder.ts';
import type { LockedMailbox } from './lock-mailboxes.ts';
import { Store } from './store.ts';

let db: TestDatabase;
let store: Store;
let mail: MailDatabase;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
  mail = new MailDatabase(db.database);
});
after(() => db[Symbol.asyncDispose]());

async function inboxWith(count: number): Promise<FolderKey> {
  const mailbox = await newMailbox(db.database);
  await store.append(Array.from({ length: count }, () => newMessage(mailbox)));
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  return { ...mailbox, folderId };
}

const only = (uid: number) => [{ first: uid, last: uid }];
const adding = (flags: number, keywords: readonly string[] = []): FlagChange => ({
  op: 'add',
  flags,
  keywords,
});

/** Changes flags like a session that ignores notices. */
function flag(inbox: FolderKey, uid: number, change: FlagChange): Promise<FlagResult> {
  return changeFlags(mail, inbox, only(uid), change, () => {});
}

async function modseqOf(result: Promise<FlagResult>): Promise<number> {
  const flagged = await result;
  assert.ok(flagged.outcome === 'flagged');
  return flagged.messages[0]?.modseq ?? 0;
}

/** Counts the transactions that last wrote the rows of a folder. */
async function transactionsIn({ mailboxId, folderId }: FolderKey): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct xmin::text)::int as count from messages
    where mailbox_id = ${mailboxId} and folder_id = ${folderId}`.execute(db.database);
  return rows[0]?.count ?? 0;
}

async function flagsIn(inbox: FolderKey): Promise<number[]> {
  return (await store.flags(inbox, [{ first: 1, last: 1_000 }])).map(({ flags }) => flags);
}

/** A write that flags a message and then calls `then`. */
function marking(
  then: (tx: DatabaseTransaction, uid: number) => Promise<unknown>,
): SharedWrite<{ inbox: FolderKey; uid: number }, number> {
  return {
    sizeOf: () => 1,
    run: async (tx: DatabaseTransaction, _: LockedMailbox, items) => {
      for (const { inbox, uid } of items) {
        await sql`
          update messages set flags = ${FLAG.flagged}
          where mailbox_id = ${inbox.mailboxId} and folder_id = ${inbox.folderId} and uid = ${uid}`.execute(
          tx,
        );
        await then(tx, uid);
      }
      return items.map(({ uid }) => uid);
    },
  };
}

test('sessions that change flags at the same time share a transaction, and get ascending MODSEQs in the order of their commands', async () => {
  const inbox = await inboxWith(20);
  const uids = Array.from({ length: 20 }, (_, at) => at + 1);
  const modseqs = await Promise.all(uids.map((uid) => modseqOf(flag(inbox, uid, adding(FLAG.seen)))));
  assert.deepEqual(
    modseqs,
    modseqs.toSorted((a, b) => a - b),
  );
  assert.equal(new Set(modseqs).size, 20);
  assert.equal(await transactionsIn(inbox), 1);
  const stored = await store.flags(inbox, [{ first: 1, last: 20 }]);
  assert.deepEqual(
    stored.map(({ modseq }) => modseq),
    modseqs,
  );
  await assertSound(db.database, inbox);
});

test('changes to one message that share a transaction have the same results as changes made one after the other', async () => {
  const inbox = await inboxWith(1);
  const before = (await store.snapshot(inbox))?.highestModseq ?? 0;
  const results = await Promise.all([
    flag(inbox, 1, adding(FLAG.seen)),
    flag(inbox, 1, { ...adding(FLAG.deleted), unchangedSince: before }),
    flag(inbox, 1, { op: 'replace', flags: FLAG.flagged, keywords: ['a'] }),
    flag(inbox, 1, { op: 'remove', flags: FLAG.flagged, keywords: [] }),
    flag(inbox, 1, adding(0, ['a'])),
  ]);
  const seen = results.map((result) =>
    result.outcome === 'flagged'
      ? {
          modified: result.modified,
          changed: result.messages.map((m) => [m.modseqBefore - before, m.modseq - before, m.flags]),
        }
      : result,
  );
  assert.deepEqual(seen, [
    { modified: [], changed: [[0, 1, FLAG.seen]] },
    { modified: [1], changed: [] },
    { modified: [], changed: [[1, 2, FLAG.flagged]] },
    { modified: [], changed: [[2, 3, 0]] },
    { modified: [], changed: [[3, 3, 0]] },
  ]);
  assert.equal(await transactionsIn(inbox), 1);
  assert.deepEqual(await store.flags(inbox, only(1)), [
    { uid: 1, modseq: before + 3, flags: 0, keywords: ['a'] },
  ]);
  await assertSound(db.database, inbox);
});

test('a session that adds too many keywords does not affect the other sessions', async () => {
  const inbox = await inboxWith(3);
  const many = Array.from({ length: 30 }, (_, at) => `word${at}`);
  const results = await Promise.all([
    flag(inbox, 1, adding(FLAG.seen, many)),
    flag(inbox, 1, adding(FLAG.answered, ['x', 'y', 'z'])),
    flag(inbox, 2, adding(FLAG.seen)),
  ]);
  assert.deepEqual(
    results.map(({ outcome }) => outcome),
    ['flagged', 'message-keywords', 'flagged'],
  );
  assert.deepEqual(await flagsIn(inbox), [FLAG.seen, FLAG.seen, 0]);
  await assertSound(db.database, inbox);
});

test('sessions that expunge at the same time delete each message once', async () => {
  const inbox = await inboxWith(30);
  await store.flag(inbox, [{ first: 1, last: 20 }], adding(FLAG.deleted));
  const before = (await store.snapshot(inbox))?.highestModseq ?? 0;
  const which = { ranges: [{ first: 1, last: 30 }], isDeletedOnly: true };
  const expunged = await Promise.all([
    store.expunge(inbox, { ...which, ranges: [{ first: 5, last: 6 }] }),
    store.expunge(inbox, which),
    store.expunge(inbox, which),
    store.expunge(inbox, { ranges: only(30), isDeletedOnly: false }),
  ]);
  const uidsUpTo20 = Array.from({ length: 20 }, (_, at) => at + 1);
  assert.deepEqual(expunged, [[5, 6], uidsUpTo20.filter((uid) => uid < 5 || uid > 6), [], [30]]);
  const changes = await store.changesSince(inbox, before);
  assert.deepEqual(changes?.vanished, [
    { first: 1, last: 20 },
    { first: 30, last: 30 },
  ]);
  await assertSound(db.database, inbox);
});

test('sessions that expunge all messages at the same time expunge even more messages than fit into one transaction', async () => {
  const inbox = await inboxWith(1_500);
  const which = { ranges: null, isDeletedOnly: false };
  const expunged = await Promise.all([store.expunge(inbox, which), store.expunge(inbox, which)]);
  assert.equal(
    expunged.reduce((sum, uids) => sum + (uids?.length ?? 0), 0),
    1_500,
  );
  assert.equal((await store.snapshot(inbox))?.uids.length, 0);
  await assertSound(db.database, inbox);
});

for (const [error, fail] of [
  ['an error of PostgreSQL', (tx: DatabaseTransaction) => sql`select 1 / 0`.execute(tx)],
  ['a bug', async () => assert.fail('a bug')],
] as const) {
  test(`a write that fails with ${error} stores nothing and does not affect the writes that share its transaction`, async () => {
    const inbox = await inboxWith(4);
    const kind = marking(async (tx, uid) => (uid === 2 ? fail(tx) : null));
    const settled = await Promise.allSettled([
      mail.share(inbox, kind, { inbox, uid: 1 }),
      mail.share(inbox, kind, { inbox, uid: 2 }),
      mail.share(inbox, kind, { inbox, uid: 3 }),
      flag(inbox, 4, adding(FLAG.seen)),
    ]);
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    );
    assert.deepEqual(await flagsIn(inbox), [FLAG.flagged, 0, FLAG.flagged, FLAG.seen]);
  });
}

test('if the connection is killed in a shared transaction, every session gets an error, and nothing is stored', async () => {
  const inbox = await inboxWith(3);
  const kind = marking(async (tx, uid) => {
    if (uid === 2) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx);
  });
  const settled = await Promise.allSettled([
    flag(inbox, 3, adding(FLAG.seen)),
    mail.share(inbox, kind, { inbox, uid: 1 }),
    mail.share(inbox, kind, { inbox, uid: 2 }),
  ]);
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  assert.deepEqual(await flagsIn(inbox), [0, 0, 0]);
  assert.equal(
    await mail.share(
      inbox,
      marking(async () => null),
      { inbox, uid: 1 },
    ),
    1,
  );
});

test('shared writes and an unshared transaction run in the order in which they were added', async () => {
  const inbox = await inboxWith(2);
  const order: string[] = [];
  const note = (name: string) => () => order.push(name);
  await Promise.all([
    flag(inbox, 1, adding(FLAG.seen)).then(note('flag')),
    changeFlags(mail, inbox, [], adding(FLAG.seen), () => {}).then(note('no message')),
    mail.alone(inbox, async () => order.push('alone')),
    changeFlags(mail, inbox, [], adding(FLAG.seen), () => {}).then(note('no message')),
    flag(inbox, 2, adding(FLAG.seen)).then(note('flag')),
  ]);
  assert.deepEqual(order, ['flag', 'no message', 'alone', 'no message', 'flag']);
});

test('writes to a mailbox that does not exist return null', async () => {
  const { projectId, mailboxId } = await newMailbox(db.database);
  assert.equal(
    await mail.share(
      { projectId, mailboxId },
      marking(async () => null),
      { inbox: { projectId, mailboxId, folderId: mailboxId }, uid: 1 },
    ),
    null,
  );
});

test('a transaction that waits for a project with limited storage holds no mailbox lock', async () => {
  const mailbox = await newMailbox(db.database, { plan: 'free' });
  await store.ensureFolders([mailbox]);
  const { projectId, mailboxId } = mailbox;
  const appending = await db.database.transaction().execute(async (tx) => {
    await sql`select from projects where id = ${projectId} for no key update`.execute(tx);
    const appended = store.append([newMessage(mailbox)]);
    const waits = async () => {
      const { rows } = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like '%mailbox_states%'`.execute(
        db.database,
      );
      return rows.length > 0;
    };
    assert.ok(await eventually(waits, 10_000));
    await sql`select from mailbox_states where mailbox_id = ${mailboxId} for no key update nowait`.execute(
      tx,
    );
    return { appended };
  });
  assert.deepEqual(
    (await appending.appended).map(({ outcome }) => outcome),
    ['stored'],
  );
});
