import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sql } from 'kysely';
import { newMailbox, newMessage } from '../../../test/support/mail.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newUuid } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { Store } from '../store.ts';
import { forgettingWords } from './forget-words.ts';
import { MESSAGE_PARTS } from './message-parts.ts';

let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

const SIZE = 4;

/** A mailbox with the given number of segments of four messages each. @returns the ids of the messages, by segment */
async function newIndexed(segments: number): Promise<{ mailbox: MailboxKey; ids: string[][] }> {
  const mailbox = await newMailbox(db.database);
  const ids = Array.from({ length: segments }, () => Array.from({ length: SIZE }, newUuid));
  await new Store(db.database).append(ids.flat().map((objectId) => ({ ...newMessage(mailbox), objectId })));
  for (const part of MESSAGE_PARTS)
    for (const segment of ids)
      await sql`
        insert into search_segments (project_id, mailbox_id, part, first_object_id, last_object_id, documents, objects, terms, postings)
        values (${mailbox.projectId}, ${mailbox.mailboxId}, ${part}, ${segment[0]}, ${segment.at(-1)}, ${SIZE}, '', '', '')`.execute(
        db.database,
      );
  return { mailbox, ids };
}

async function remove({ projectId, mailboxId }: MailboxKey, ids: readonly string[]): Promise<void> {
  for (const table of ['messages', 'message_contents'])
    await sql`delete from ${sql.table(table)} where project_id = ${projectId} and mailbox_id = ${mailboxId}
      and object_id = any(${ids}::uuid[])`.execute(db.database);
}

async function segmentsOf({ mailboxId }: MailboxKey): Promise<string[]> {
  const { rows } = await sql<{ first: string }>`
    select distinct first_object_id as first from search_segments where mailbox_id = ${mailboxId} order by 1`.execute(
    db.database,
  );
  return rows.map(({ first }) => first);
}

async function forget(): Promise<void> {
  for await (const _ of forgettingWords(db.database)) continue;
}

test('segments of mostly deleted mail are removed, and later mail is indexed again', async () => {
  const others = await Promise.all(Array.from({ length: 10 }, () => newIndexed(1)));
  const { mailbox, ids } = await newIndexed(3);
  const [first = [], second = [], third = []] = ids;
  await remove(mailbox, [...second.slice(0, 2), ...first.slice(0, 1)]);
  await forget();
  assert.deepEqual(await segmentsOf(mailbox), [first[0], second[0], third[0]]);
  await remove(mailbox, second.slice(2, 3));
  await forget();
  assert.deepEqual(await segmentsOf(mailbox), [first[0]]);
  for (const other of others) assert.equal((await segmentsOf(other.mailbox)).length, 1);
});

test('if the parts have segments with different boundaries, the segments of every part are removed from the same message on', async () => {
  const { mailbox, ids } = await newIndexed(4);
  const [, second = [], third = [], fourth = []] = ids;
  await sql`
    with gone as (
      delete from search_segments where mailbox_id = ${mailbox.mailboxId} and part = 'body' and first_object_id = ${third[0]}
    ) update search_segments set last_object_id = ${third.at(-1)}, documents = ${2 * SIZE}
    where mailbox_id = ${mailbox.mailboxId} and part = 'body' and first_object_id = ${second[0]}`.execute(
    db.database,
  );
  await remove(mailbox, third);
  await forget();
  const { rows } = await sql<{ part: string; last: string }>`
    select part, max(last_object_id::text) as last from search_segments where mailbox_id = ${mailbox.mailboxId} group by part`.execute(
    db.database,
  );
  assert.deepEqual(
    new Map(rows.map(({ part, last }) => [part, last])),
    new Map(MESSAGE_PARTS.map((part) => [part, ids[0]?.at(-1)])),
  );
  assert.equal((await segmentsOf(mailbox)).includes(fourth[0] ?? ''), false);
});
