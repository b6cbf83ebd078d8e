import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { sql } from 'kysely';
import { runs } from '../../../test/support/property-runs.ts';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import type { NewMessage } from '../append.ts';
import { readMessageFacts } from '../facts/message-facts.ts';
import type { FolderKey } from '../in-folder.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { Store } from '../store.ts';
import type { MessageQuery, Period } from './message-query.ts';

let db: TestDatabase;
let store: Store;
before(async () => {
  db = await testDatabase();
  store = new Store(db.database);
});
after(() => db[Symbol.asyncDispose]());

const noTick = (): void => {};

async function inboxOf(mailbox: MailboxKey): Promise<FolderKey> {
  const folders = await store.folders(mailbox);
  return { ...mailbox, folderId: folders.find(({ role }) => role === 'inbox')?.id ?? '' };
}

const WORDS = ['apple', 'Äpfel', 'pear tree', 'x', ''] as const;
const DAYS = ['2026-11-20', '2026-11-21', '2026-11-22'] as const;
const FIELDS = ['subject', 'from', 'x-note'] as const;
const anyWord = fc.constantFrom(...WORDS);
const anyDay = fc.constantFrom(...DAYS);

interface TestMessage {
  uid: number;
  modseq: number;
  objectId: string;
  flags: number;
  keywords: string[];
  day: string;
  sentOn: string | null;
  octets: number;
  fields: Partial<Record<(typeof FIELDS)[number], string>>;
  body: string;
}

const anyMessage = fc.record({
  flags: fc.integer({ min: 0, max: 31 }),
  keywords: fc.subarray(['work', 'later']),
  day: anyDay,
  sentOn: fc.option(anyDay),
  fields: fc.record({ subject: anyWord, from: anyWord, 'x-note': anyWord }, { requiredKeys: [] }),
  body: anyWord,
});

const { tree: anyQuery } = fc.letrec<{ tree: MessageQuery; leaf: MessageQuery }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    tie('leaf'),
    fc.array(tie('tree'), { maxLength: 3 }).map((all) => ({ all })),
    fc.array(tie('tree'), { maxLength: 3 }).map((any) => ({ any })),
    tie('tree').map((not) => ({ not })),
  ),
  leaf: fc.oneof(
    fc.integer({ min: 0, max: 31 }).map((flags) => ({ flags })),
    fc.constantFrom('WORK', 'later', 'never', '(').map((keyword) => ({ keyword })),
    anyPeriod((day) => new Date(`${day}T00:00:00Z`)).map((internalDate) => ({ internalDate })),
    anyPeriod((day) => day).map((sentOn) => ({ sentOn })),
    fc.integer({ min: 0, max: 200 }).map((largerThan) => ({ largerThan })),
    fc.constantFrom(0, 60, 90, 2 ** 33).map((smallerThan) => ({ smallerThan })),
    fc.integer({ min: 0, max: 12 }).map((modseqFrom) => ({ modseqFrom })),
    fc
      .array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 0, max: 3 })), { maxLength: 3 })
      .map((list) => ({ uids: list.map(([first, more]) => ({ first, last: first + more })) })),
    fc.record({ text: anyWord, in: fc.constantFrom('bodies' as const, 'everything' as const) }),
    fc.record({ text: anyWord, field: fc.constantFrom<string>(...FIELDS, 'X-Note', 'none') }),
  ),
}));

function anyPeriod<Time>(make: (day: string) => Time): fc.Arbitrary<Period<Time>> {
  const anyTime = fc.option(anyDay.map(make));
  return fc.tuple(anyTime, anyTime).map(([from, end]) => ({ from, before: end }));
}

function bytesOf({
  fields,
  sentOn,
  body,
}: Omit<TestMessage, 'uid' | 'modseq' | 'objectId' | 'octets' | 'flags' | 'keywords' | 'day'>): Buffer {
  const date =
    sentOn === null
      ? []
      : [`Date: ${new Date(sentOn).toUTCString().replace('00:00:00 GMT', '23:30:00 -1100')}`];
  const lines = [...Object.entries(fields).map(([name, value]) => `${name}: ${value}`), ...date];
  return Buffer.from([...lines, '', body, ''].join('\r\n'));
}

const plain = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/\u0308/g, '')
    .toLowerCase();
const has = (text: string, needle: string): boolean => plain(text).includes(plain(needle));

function isIn<Time extends Date | string>(time: Time, { from, before: end }: Period<Time>): boolean {
  return (from === null || time >= from) && (end === null || time < end);
}

/** Whether a message matches a query: evaluates the query as the comments on `MessageQuery` define it, without an index. */
function matches(query: MessageQuery, message: TestMessage): boolean {
  if ('all' in query) return query.all.every((one) => matches(one, message));
  if ('any' in query) return query.any.some((one) => matches(one, message));
  if ('not' in query) return !matches(query.not, message);
  if ('flags' in query) return (message.flags & query.flags) === query.flags;
  if ('keyword' in query) return message.keywords.includes(query.keyword.toLowerCase());
  if ('internalDate' in query) return isIn(new Date(`${message.day}T12:00:00Z`), query.internalDate);
  if ('sentOn' in query) return isIn(message.sentOn ?? '1970-01-01', query.sentOn);
  if ('largerThan' in query) return message.octets > query.largerThan;
  if ('smallerThan' in query) return message.octets < query.smallerThan;
  if ('modseqFrom' in query) return message.modseq >= query.modseqFrom;
  if ('uids' in query)
    return query.uids.some(({ first, last }) => message.uid >= first && message.uid <= last);
  if ('field' in query) {
    const value = Object.entries(message.fields).find(([name]) => name === query.field.toLowerCase())?.[1];
    return value !== undefined && has(value, query.text);
  }
  if ('text' in query) {
    const header = bytesOf(message).toString().split('\r\n\r\n')[0] ?? '';
    return has(message.body, query.text) || (query.in === 'everything' && has(header, query.text));
  }
  throw new Error(JSON.stringify(query));
}

test('a query finds exactly the messages that match it when checked one by one', async () => {
  const mailbox = await newMailbox(db.database);
  const inbox = await inboxOf(mailbox);
  const made: TestMessage[] = [];
  const [samples] = fc.sample(fc.array(anyMessage, { minLength: 10, maxLength: 10 }), {
    numRuns: 1,
    seed: 7,
  });
  const messages = (samples ?? []).map((sample): NewMessage => {
    const bytes = bytesOf(sample);
    const { flags, keywords, day } = sample;
    const internalDate = new Date(`${day}T12:00:00Z`);
    return newMessage(mailbox, { bytes, facts: readMessageFacts(bytes), flags, keywords, internalDate });
  });
  for (const [at, result] of (await store.append(messages)).entries()) {
    assert.ok(result.outcome === 'stored');
    const sample = samples?.[at];
    assert.ok(sample !== undefined);
    const { uid, modseq, objectId } = result;
    made.push({ ...sample, uid, modseq, objectId, octets: bytesOf(sample).length });
  }
  await store.append([newMessage(mailbox, { folder: { role: 'junk' } })]);
  await fc.assert(
    fc.asyncProperty(anyQuery, async (query) => {
      const expected = made.filter((message) => matches(query, message));
      const { uids, highestModseq } = await store.find(inbox, query, noTick);
      assert.deepEqual(
        [...uids],
        expected.map(({ uid }) => uid),
      );
      assert.equal(highestModseq, Math.max(0, ...expected.map(({ modseq }) => modseq)));
    }),
    { numRuns: runs(300) },
  );
  for (const { uid, objectId } of made)
    assert.deepEqual([...(await store.find(inbox, { objectId }, noTick)).uids], [uid]);
});

test('a search ends when `tick` throws', async () => {
  const inbox = await inboxOf(await newMailbox(db.database));
  await assert.rejects(
    store.find(inbox, { all: [] }, () => {
      throw new Error('too long');
    }),
    /too long/,
  );
});

test('messages of another mailbox are not found', async () => {
  const [mine, other] = [await newMailbox(db.database), await newMailbox(db.database)];
  const [stored] = await store.append([
    newMessage(other, { facts: { text: '\n\nsecret', header: '\nsubject: secret' } }),
  ]);
  assert.ok(stored?.outcome === 'stored');
  const others = await inboxOf(other);
  for (const query of [
    { all: [] },
    { text: 'secret', in: 'everything' },
    { objectId: stored.objectId },
  ] as const) {
    assert.equal((await store.find(others, query, noTick)).uids.length, 1);
    assert.equal((await store.find(await inboxOf(mine), query, noTick)).uids.length, 0);
    assert.equal((await store.find({ ...mine, folderId: others.folderId }, query, noTick)).uids.length, 0);
  }
});

test('messages are found in the order of UIDs, even if a thread of the mailbox has more messages than the folder', async () => {
  const mailbox = await newMailbox(db.database);
  const { projectId, mailboxId, folderId } = await inboxOf(mailbox);
  const threadId = newUuid();
  await sql`
    with content as (
      insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject, addresses, preview,
        attachments, envelope, body_structure, text)
      select ${projectId}, ${mailboxId}, gen_random_uuid(), '', 1, ${threadId}, '', '', '{}', '', 0, '', '', ''
      from generate_series(1, 20000) returning object_id
    )
    insert into messages (project_id, mailbox_id, folder_id, uid, modseq, flags, keywords, object_id, octets, internal_date, save_date)
    select ${projectId}, ${mailboxId}, ${folderId}, row_number() over (), 1, 0, '{}', object_id, 1, now(), now()
    from (select object_id from content limit 2000) c`.execute(db.database);
  await sql`analyze messages, message_contents`.execute(db.database);
  const { uids } = await store.find({ projectId, mailboxId, folderId }, { any: [{ threadId }] }, noTick);
  assert.deepEqual(
    [...uids],
    Array.from({ length: 2_000 }, (_, at) => at + 1),
  );
});
