import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { firstUuidAt, newUuid } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { Store } from '../store.ts';
import { findText } from './find-text.ts';
import type { MessagePart } from './message-parts.ts';
import { normalForm } from './normal-form.ts';
import { ID_OCTETS, uuidsOf } from './object-ids.ts';
import { indexNext, SEGMENT_DOCUMENTS } from './index-mailbox.ts';
import { SearchIndexer } from './search-indexer.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

/** Stores messages with these texts, in order. @returns their ids */
async function put(mailbox: MailboxKey, texts: readonly string[], header = ''): Promise<string[]> {
  const ids = texts.map(() => newUuid());
  await sql`
    insert into message_contents (project_id, mailbox_id, object_id, digest, octets, thread_id, subject, base_subject, addresses,
      preview, attachments, envelope, body_structure, text, header)
    select ${mailbox.projectId}, ${mailbox.mailboxId}, id, '', 1, id, '', '', '[]', '', 0, '', '', text, ${header}
    from unnest(${ids}::uuid[], ${texts}::text[]) as t (id, text)`.execute(db.database);
  return ids;
}

const segmentsOf = async ({ mailboxId }: MailboxKey): Promise<number[]> => {
  const { rows } = await sql<{ documents: number }>`
    select documents from search_segments where mailbox_id = ${mailboxId} and part = 'head' order by first_object_id`.execute(
    db.database,
  );
  return rows.map(({ documents }) => documents);
};

/** Texts with rare words, common words and a script without spaces. */
function textOf(n: number): string {
  const parts = [`number${n} every`];
  if (n % 1_000 === 5) parts.push('thousandth of them');
  if (n % 500 === 7) parts.push('東京都の天気');
  return parts.join(' ');
}

const NEEDLES: readonly [needle: string, isIn: (n: number) => boolean][] = [
  ['Thousandth', (n) => n % 1_000 === 5],
  ['usand', (n) => n % 1_000 === 5],
  ['every thousandth OF', (n) => n % 1_000 === 5],
  ['number4099 ', (n) => n === 4_099],
  ['number1234', (n) => String(n).startsWith('1234')],
  ['都の', (n) => n % 500 === 7],
  ['東京都', (n) => n % 500 === 7],
  ['v', () => true],
  ['absent', () => false],
  ['every every', () => false],
];

async function find(mailbox: MailboxKey, words: string): Promise<string[]> {
  const { ids } = await findText(db.database, mailbox, {
    part: 'head',
    needle: normalForm(words),
    also: null,
  });
  assert.equal(uuidsOf(ids).length * ID_OCTETS, ids.length);
  return uuidsOf(ids);
}

async function assertFinds(mailbox: MailboxKey, ids: readonly string[]): Promise<void> {
  for (const [needle, isIn] of NEEDLES) {
    const objectIds = await find(mailbox, needle);
    const right = ids.filter((_, n) => isIn(n));
    assert.deepEqual(new Set(objectIds), new Set(right), needle);
    assert.equal(objectIds.length, right.length, needle);
  }
}

describe('searching a mailbox', () => {
  it('finds the same messages whether they are indexed, merged or new', async () => {
    const [mailbox, other] = [await newMailbox(db.database), await newMailbox(db.database)];
    const texts = Array.from({ length: 5 * SEGMENT_DOCUMENTS + 10 }, (_, n) => textOf(n));
    await put(other, [textOf(5), textOf(7)]);
    const ids = await put(mailbox, texts.slice(0, 2 * SEGMENT_DOCUMENTS + 10));
    await assertFinds(mailbox, ids);
    while (await indexNext(db.database, mailbox, newUuid()));
    assert.deepEqual(await segmentsOf(mailbox), [SEGMENT_DOCUMENTS, SEGMENT_DOCUMENTS]);
    await assertFinds(mailbox, ids);
    ids.push(...(await put(mailbox, texts.slice(ids.length))));
    // Two processes index the mailbox at the same time.
    await Promise.all([1, 2].map(() => indexNext(db.database, mailbox, newUuid())));
    while (await indexNext(db.database, mailbox, newUuid()));
    assert.deepEqual(await segmentsOf(mailbox), [4 * SEGMENT_DOCUMENTS, SEGMENT_DOCUMENTS]);
    await assertFinds(mailbox, ids);
    const query = { part: 'head', needle: 'v', also: null } as const;
    assert.equal((await findText(db.database, mailbox, query)).unindexed, 10);
    assert.deepEqual(await segmentsOf(other), []);
  });

  it('finds a text only in the searched part of a message, whether the message is indexed or not', async () => {
    const mailbox = await newMailbox(db.database);
    const ids = await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS }, (_, n) => `head${n} both\n\nbody${n} both`),
      '\nsubject: field\nto: other\n\nx-part: inside',
    );
    const count = async (part: MessagePart, needle: string, field: string | null = null) => {
      const also =
        field === null
          ? null
          : sql<boolean>`strpos(split_part(c.header, ${`\n${field}:`}, 2), ${needle}) = 2`;
      const found = await findText(db.database, mailbox, { part, needle, also });
      return found.ids.length / ID_OCTETS;
    };
    for (const _ of ['scanned', 'indexed']) {
      assert.equal(await count('head', 'head17 '), 1);
      assert.equal(await count('body', 'head17 '), 0);
      assert.equal(await count('body', 'both'), ids.length);
      assert.equal(await count('header', 'both'), 0);
      assert.equal(await count('header', 'inside'), ids.length);
      assert.equal(await count('header', 'other', 'to'), ids.length);
      assert.equal(await count('header', 'other', 'subject'), 0);
      while (await indexNext(db.database, mailbox, newUuid()));
    }
    assert.deepEqual(await segmentsOf(mailbox), [SEGMENT_DOCUMENTS]);
  });

  it('finds mail that was delayed until newer mail was already indexed', async () => {
    const mailbox = await newMailbox(db.database);
    await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS }, (_, n) => textOf(n)),
    );
    while (await indexNext(db.database, mailbox, newUuid()));
    const store = new Store(db.database);
    const objectIds = [60, 3_600].map((seconds) => firstUuidAt(new Date(Date.now() - seconds * 1_000)));
    const texts = ['late head\n\nlate body', 'head\n\nlate body'];
    await store.append(
      objectIds.map((objectId, at) => newMessage(mailbox, { objectId, facts: { text: texts[at] ?? '' } })),
    );
    assert.deepEqual(await find(mailbox, 'late'), [objectIds[0]]);
    assert.deepEqual(new Set(await store.search(mailbox, 'late body')), new Set(objectIds));
    await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS }, (_, n) => textOf(n)),
    );
    while (await indexNext(db.database, mailbox, newUuid()));
    assert.deepEqual(await find(mailbox, 'late'), [objectIds[0]]);
  });

  it('finds indexed messages even if their segments are deleted while the next segments are built', async () => {
    const mailbox = await newMailbox(db.database);
    const texts = Array.from({ length: 2 * SEGMENT_DOCUMENTS }, (_, n) => textOf(n));
    const ids = await put(mailbox, texts.slice(0, SEGMENT_DOCUMENTS));
    while (await indexNext(db.database, mailbox, newUuid()));
    ids.push(...(await put(mailbox, texts.slice(SEGMENT_DOCUMENTS))));
    let isDeleted = false;
    const disturbed = db.database.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        // Deletes the segments after the first statement, which reads where the existing segments end.
        if (!isDeleted)
          await sql`delete from search_segments where mailbox_id = ${mailbox.mailboxId}`.execute(db.database);
        isDeleted = true;
        return result;
      },
    });
    await indexNext(disturbed, mailbox, newUuid());
    await assertFinds(mailbox, ids);
    while (await indexNext(db.database, mailbox, newUuid()));
    await assertFinds(mailbox, ids);
  });

  it('indexes recent messages only once a whole segment of them is old enough', async () => {
    const mailbox = await newMailbox(db.database);
    const ids = await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS + 1 }, (_, n) => textOf(n)),
    );
    assert.equal(await indexNext(db.database, mailbox, ids[SEGMENT_DOCUMENTS - 1] as string), false);
    assert.equal(await indexNext(db.database, mailbox, ids[SEGMENT_DOCUMENTS] as string), true);
  });

  it('indexes a mailbox in a worker thread after many messages were added or scanned', async () => {
    const timings = { minAgeMs: -1_000 };
    const errors: unknown[] = [];
    await using indexer = new SearchIndexer(db.url, (error) => errors.push(error), timings);
    const store = new Store(db.database, indexer);
    const mailbox = await newMailbox(db.database);
    await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS }, (_, n) => textOf(n)),
    );
    const [stored] = await store.append([newMessage(mailbox, { facts: { text: 'the last one' } })]);
    await indexer.idle();
    assert.deepEqual(await segmentsOf(mailbox), []);
    assert.ok(stored?.outcome === 'stored');
    assert.deepEqual(await store.search(mailbox, 'LAST one'), [stored.objectId]);
    await indexer.idle();
    assert.deepEqual(errors, []);
    assert.deepEqual(await segmentsOf(mailbox), [SEGMENT_DOCUMENTS]);
    assert.deepEqual(await store.search(mailbox, 'LAST one'), [stored.objectId]);
    await put(
      mailbox,
      Array.from({ length: SEGMENT_DOCUMENTS }, (_, n) => textOf(n)),
    );
    // The new messages are indexed once they are old enough.
    timings.minAgeMs = 200;
    indexer.note(mailbox, SEGMENT_DOCUMENTS, 'added');
    await indexer.idle();
    assert.deepEqual(await segmentsOf(mailbox), [SEGMENT_DOCUMENTS, SEGMENT_DOCUMENTS]);
  });
});
