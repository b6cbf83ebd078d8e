/** Keys of requests to send, which browsers repeat until they get a response (docs/web-client.md, Without a connection). */
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import { rowIs } from '../../db/row-is.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { DraftRow } from './draft-rows.ts';

/** @returns the id of the draft that was sent with the key; null if there is none */
export async function findSentKey(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  key: string,
): Promise<string | null> {
  const row = await database
    .selectFrom('sentKeys')
    .select('draftId')
    .where((found) => rowIs(found, { projectId, mailboxId, key }))
    .executeTakeFirst();
  return row?.draftId ?? null;
}

/** Records the key, in the transaction that sends the draft. */
export async function recordSentKey(
  tx: DatabaseTransaction,
  { projectId, mailboxId, id: draftId }: Pick<DraftRow, 'projectId' | 'mailboxId' | 'id'>,
  key: string,
): Promise<void> {
  await tx
    .insertInto('sentKeys')
    .values({ projectId, mailboxId, key, draftId, createdAt: clock.now() })
    .execute();
}
