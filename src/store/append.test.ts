import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { newProject } from '../../test/support/projects.ts';
import { readUsage } from '../accounts/usage.ts';
import { monthOf } from '../model/month.ts';
import type { AppendResult, NewMessage } from './append.ts';
import { deletingMail } from './delete-mail.ts';
import type { MailboxKey } from './lock-mailboxes.ts';
import { Store } from './store.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

const MIB = 1024 * 1024;

async function foldersOf({ mailboxId }: MailboxKey) {
  const rows = await db.database
    .selectFrom('folders')
    .selectAll()
    .where('mailboxId', '=', mailboxId)
    .orderBy('uidValidity')
    .execute();
  return rows;
}

const uidOf = (result: AppendResult | undefined) => (result?.outcome === 'stored' ? result.uid : null);
const outcomesOf = (results: AppendResult[]) => results.map(({ outcome }) => outcome);
const sized = (mailbox: MailboxKey, size: number, fields: Partial<NewMessage> = {}): NewMessage => {
  const message = newMessage(mailbox, fields);
  return { ...message, blob: { ...message.blob, size } };
};
const storageOf = async (projectId: string) =>
  (await readUsage(db.database, projectId, monthOf(new Date()))).storageBytes;

describe('a mailbox', () => {
  test('a mailbox gets its standard folders at the first use, without duplicates under concurrent use', async () => {
    const mailbox = await newMailbox(db.database);
    const stores = Array.from({ length: 6 }, () => new Store(db.database));
    await Promise.all(stores.map((one) => one.ensureFolders([mailbox, mailbox])));
    const folders = await foldersOf(mailbox);
    assert.deepEqual(
      folders.map(({ name, role }) => `${name} ${role}`),
      ['INBOX inbox', 'Sent sent', 'Drafts drafts', 'Junk junk', 'Trash trash', 'Archive archive'],
    );
    assert.equal(new Set(folders.map(({ uidValidity }) => uidValidity)).size, 6);
  });

  test('a mailbox does not exist under the id of another project', async () => {
    const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
    const mixed = { projectId: other.projectId, mailboxId: mailbox.mailboxId };
    assert.deepEqual(outcomesOf(await store.append([newMessage(mixed)])), ['no-mailbox']);
    assert.deepEqual(outcomesOf(await store.append([newMessage(mixed), newMessage(mailbox)])), [
      'no-mailbox',
      'stored',
    ]);
    const [foreign] = await foldersOf(mailbox);
    await store.ensureFolders([other]);
    const results = await store.append([newMessage(other, { folder: { id: foreign?.id ?? '' } })]);
    assert.deepEqual(outcomesOf(results), ['no-folder']);
  });
});

describe('messages stored in a mailbox', () => {
  test('stored messages get UIDs and MODSEQs in commit order, and are counted', async () => {
    const mailbox = await newMailbox(db.database);
    const batches = Array.from({ length: 30 }, (_, at) => [
      newMessage(mailbox, { flags: at % 3 === 0 ? 1 : 0 }),
      newMessage(mailbox, { folder: { role: 'junk' } }),
    ]);
    const stores = [store, new Store(db.database), new Store(db.database)];
    const results = await Promise.all(batches.map((one, at) => (stores[at % 3] as Store).append(one)));
    for (const side of [0, 1])
      assert.deepEqual(
        results.map((one) => uidOf(one[side]) ?? 0).toSorted((a, b) => a - b),
        batches.map((_, at) => at + 1),
      );
    const rows = await db.database
      .selectFrom('messages')
      .select(['uid', 'modseq'])
      .where('mailboxId', '=', mailbox.mailboxId)
      .execute();
    assert.ok(rows.every(({ uid, modseq }) => Number(modseq) === uid + 1));
    const octets = batches.flat().reduce((sum, { blob }) => sum + blob.size, 0);
    const folders = await foldersOf(mailbox);
    assert.deepEqual(
      folders.map(({ messages, unseen, uidNext, highestModseq }) => [
        messages,
        unseen,
        uidNext,
        highestModseq,
      ]),
      [
        [30, 20, 31, '31'],
        [0, 0, 1, '1'],
        [0, 0, 1, '1'],
        [30, 30, 31, '31'],
        [0, 0, 1, '1'],
        [0, 0, 1, '1'],
      ],
    );
    assert.equal(
      folders.reduce((sum, folder) => sum + Number(folder.octets), 0),
      octets,
    );
    assert.equal(await storageOf(mailbox.projectId), octets);
  });

  test('a message over the quota of its mailbox does not affect messages to other mailboxes', async () => {
    const projectId = await newProject(db.database);
    const [small, large] = [
      await newMailbox(db.database, { projectId, quotaMb: 1 }),
      await newMailbox(db.database, { projectId }),
    ];
    const results = await store.append([
      sized(small, MIB),
      sized(large, 10),
      sized(small, 1),
      sized(large, MIB),
    ]);
    assert.deepEqual(outcomesOf(results), ['stored', 'stored', 'over-quota', 'stored']);
    assert.deepEqual(outcomesOf(await store.append([sized(small, 0)])), ['stored']);
  });

  test('concurrently stored messages never exceed the quota of a mailbox', async () => {
    const mailbox = await newMailbox(db.database, { quotaMb: 1 });
    const stores = [store, new Store(db.database), new Store(db.database)];
    const results = await Promise.all(
      Array.from({ length: 12 }, (_, at) => (stores[at % 3] as Store).append([sized(mailbox, MIB / 4)])),
    );
    assert.equal(results.flat().filter(({ outcome }) => outcome === 'stored').length, 4);
  });

  test("stored messages never exceed the storage of the project's plan", async () => {
    const mailbox = await newMailbox(db.database, { quotaMb: 4_000, plan: 'free' });
    const stores = [store, new Store(db.database), new Store(db.database)];
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, at) => (stores[at % 3] as Store).append([sized(mailbox, 400 * MIB)])),
    );
    assert.deepEqual(outcomesOf(results.flat()).toSorted(), [
      ...Array<string>(4).fill('over-storage'),
      'stored',
      'stored',
    ]);
    assert.equal(await storageOf(mailbox.projectId), 800 * MIB);
  });

  test('messages can be stored in many mailboxes concurrently without a deadlock', async () => {
    const mailboxes = await Promise.all(Array.from({ length: 5 }, () => newMailbox(db.database)));
    const stores = [store, new Store(db.database), new Store(db.database), new Store(db.database)];
    const results = await Promise.all(
      Array.from({ length: 40 }, (_, at) => {
        const order = at % 2 === 0 ? mailboxes : mailboxes.toReversed();
        return (stores[at % 4] as Store).append(order.map((mailbox) => newMessage(mailbox)));
      }),
    );
    assert.ok(results.flat().every(({ outcome }) => outcome === 'stored'));
  });

  test('a message is stored without the keywords for which its folder has no capacity', async () => {
    const mailbox = await newMailbox(db.database);
    const keywords = (from: number) => Array.from({ length: 25 }, (_, at) => `k${from + at}`);
    const results = await store.append(
      [0, 25, 50, 75, 76, 75].map((from) => newMessage(mailbox, { keywords: keywords(from) })),
    );
    assert.deepEqual(
      results.map((result) => result.outcome === 'stored' && result.leftOutKeywords),
      [[], [], [], [], ['k100'], []],
    );
  });
});

describe('a thread', () => {
  async function threadsOf(...facts: Partial<NewMessage['facts']>[]): Promise<number[]> {
    const mailbox = await newMailbox(db.database);
    const threads: string[] = [];
    for (const fact of facts) {
      const [result] = await store.append([newMessage(mailbox, { facts: fact })]);
      assert.equal(result?.outcome, 'stored');
      const { threadId } = await db.database
        .selectFrom('messageContents')
        .select('threadId')
        .where('objectId', '=', result.objectId)
        .executeTakeFirstOrThrow();
      threads.push(threadId);
    }
    return threads.map((id) => threads.indexOf(id));
  }
  const anna = {
    from: [{ name: '', address: 'anna@a.example' }],
    to: [{ name: '', address: 'ben@b.example' }],
  };
  const ben = { from: anna.to, to: anna.from };

  const eventOf = (uid: string): NonNullable<NewMessage['facts']['event']> => ({
    uid,
    recurrence: null,
    sequence: 0,
    stampMs: 0,
    method: 'request',
    isCancelled: false,
    organizer: null,
  });

  const CASES: [what: string, facts: Partial<NewMessage['facts']>[], threads: number[]][] = [
    [
      'contains a reply and its original',
      [{ messageId: '<1@a>' }, { messageId: '<2@b>', references: ['<1@a>'] }],
      [0, 0],
    ],
    [
      'contains an original that arrived after its reply',
      [{ messageId: '<2@b>', references: ['<1@a>'] }, { messageId: '<1@a>' }],
      [0, 0],
    ],
    [
      'contains two replies to a missing original',
      [{ references: ['<1@a>'] }, { references: ['<0@a>', '<1@a>'] }],
      [0, 0],
    ],
    ['does not contain two messages without ids', [{}, {}], [0, 1]],
    [
      'contains a reply linked only by its subject',
      [
        { ...anna, subject: 'Order', baseSubject: 'order' },
        { ...ben, subject: 'Re: Order', baseSubject: 'order' },
      ],
      [0, 0],
    ],
    [
      'does not contain a new message with the same subject',
      [
        { ...anna, subject: 'Order', baseSubject: 'order' },
        { ...anna, subject: 'Order', baseSubject: 'order' },
      ],
      [0, 1],
    ],
    [
      'does not contain a reply with the same subject between other people',
      [
        { ...anna, subject: 'Order', baseSubject: 'order' },
        {
          from: ben.from,
          to: [{ name: '', address: 'carl@c.example' }],
          subject: 'Re: Order',
          baseSubject: 'order',
        },
      ],
      [0, 1],
    ],
    [
      'contains an invitation, and its update that refers to no message',
      [{ event: eventOf('uid') }, { event: { ...eventOf('uid'), sequence: 1 } }, { event: eventOf('other') }],
      [0, 0, 2],
    ],
    [
      'contains a reply to another message, also if an event has the same UID',
      [{ messageId: '<1@a>' }, { event: eventOf('uid') }, { references: ['<1@a>'], event: eventOf('uid') }],
      [0, 1, 0],
    ],
    [
      'contains a message with 100 references',
      [{ messageId: '<1@a>' }, { references: Array.from({ length: 100 }, (_, at) => `<${at + 1}@a>`) }],
      [0, 0],
    ],
  ];
  for (const [what, facts, threads] of CASES)
    test(what, async () => assert.deepEqual(await threadsOf(...facts), threads));
});

test('the mail of a deleted mailbox is deleted, and its storage is released', async () => {
  const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
  await store.append(
    Array.from({ length: 600 }, () => newMessage(mailbox, { facts: { messageId: '<1@a>' } })),
  );
  await store.append([newMessage(other)]);
  await db.database.deleteFrom('mailboxes').where('id', '=', mailbox.mailboxId).execute();
  assert.deepEqual(outcomesOf(await store.append([newMessage(mailbox)])), ['no-mailbox']);
  const removal = await db.database
    .selectFrom('removals')
    .select('kind')
    .where('id', '=', mailbox.mailboxId)
    .executeTakeFirst();
  assert.equal(removal?.kind, 'mailbox');
  for await (const _ of deletingMail(db.database, mailbox)) continue;
  for (const table of ['messages', 'messageContents', 'threadLinks', 'folders', 'mailboxStates'] as const) {
    const left = await db.database
      .selectFrom(table)
      .select(sql<string>`mailbox_id`.as('mailboxId'))
      .execute();
    assert.ok(!left.some(({ mailboxId }) => mailboxId === mailbox.mailboxId), table);
  }
  assert.deepEqual([await storageOf(mailbox.projectId), (await storageOf(other.projectId)) > 0], [0, true]);
});
