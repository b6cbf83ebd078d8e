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

/** A mailbox with so many segments of four messages each. @returns the ids of the messages, by segment */
async function newIndexed(segments: number): Promise<{ mailbox: MailboxKey; ids: string[][] }> {
  const mailbox = await newMailbox(db.database);
  const ids = Array.from({ length: segments }, () => Array.from({ length: SIZE }, newUuid));
  await new Store(db.database).append(ids.flat().map((objectId) => ({ ...newMessage(mailbox), objectId })));
  for (const part of MESSAGE_PARTS)
    for (const of of ids)
      await sql`
        insert into search_segments (project_id, mailbox_id, part, first_object_id, last_object_id, documents, objects, terms, postings)
        values (${mailbox.projectId}, ${mailbox.mailboxId}, ${part}, ${of[0]}, ${of.at(-1)}, ${SIZE}, '', '', '')`.execute(
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

async function look(): Promise<void> {
  for await (const _ of forgettingWords(db.database)) continue;
}

test('the words of mail go with most of it, and what came later is indexed anew', async () => {
  const others = await Promise.all(Array.from({ length: 10 }, () => newIndexed(1)));
  const { mailbox, ids } = await newIndexed(3);
  const [first = [], second = [], third = []] = ids;
  await remove(mailbox, [...second.slice(0, 2), ...first.slice(0, 1)]);
  await look();
  assert.deepEqual(await segmentsOf(mailbox), [first[0], second[0], third[0]]);
  await remove(mailbox, second.slice(2, 3));
  await look();
  assert.deepEqual(await segmentsOf(mailbox), [first[0]]);
  for (const other of others) assert.equal((await segmentsOf(other.mailbox)).length, 1);
});
