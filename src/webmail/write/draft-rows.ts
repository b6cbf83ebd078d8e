/** The rows of drafts: the state of sending, and data that the messages in Drafts cannot hold. */
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { assignToDraft, settleDraft } from '../../file-links/draft-links.ts';
import * as clock from '../../model/clock.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { type DraftContent, linkTokensOf } from './draft-content.ts';

export const DRAFT = columnsOf({
  projectId: 'uuid',
  mailboxId: 'uuid',
  id: 'uuid',
  client: 'text',
  objectId: 'uuid?',
  content: shaped<DraftContent>('json'),
  uploads: 'uuid[]',
  savedAt: 'timestamptz',
  sendsAt: 'timestamptz?',
  isScheduled: 'bool',
  claimedUntil: 'timestamptz',
  attempts: 'int2',
  sentAt: 'timestamptz?',
  problem: 'text?',
});
/** A draft, or the state of a message that is being sent or has been sent. */
export type DraftRow = RowOf<typeof DRAFT>;

type By = { id: string } | { client: string } | { objectId: string };

/** Finds a draft within one mailbox. */
export async function findDraft(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  by: By,
): Promise<DraftRow | null> {
  const [[column, value]] = Object.entries(by) as [
    [keyof Tables['drafts'] & ('id' | 'client' | 'objectId'), string],
  ];
  const row = await database
    .selectFrom('drafts')
    .selectAll()
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where(column, '=', value)
    .orderBy('savedAt', 'desc')
    .executeTakeFirst();
  return row === undefined ? null : (row as DraftRow);
}

/** Whether the draft is queued for sending or has been sent. */
export function isQueuedOrSent({ sendsAt, sentAt }: Pick<DraftRow, 'sendsAt' | 'sentAt'>): boolean {
  return sendsAt !== null || sentAt !== null;
}

export interface WrittenDraft extends MailboxKey {
  id: string;
  client: string;
  objectId: string;
  content: DraftContent;
}

/** Inserts or replaces the row of a draft, and records that the draft uses its uploads and file links. @returns the time of saving */
export async function writeDraft(tx: DatabaseTransaction, draft: WrittenDraft): Promise<Date> {
  const { projectId, mailboxId, id, client, objectId } = draft;
  const savedAt = clock.now();
  const values = {
    client,
    objectId,
    savedAt,
    content: JSON.stringify(draft.content),
    uploads: draft.content.attachments,
    sendsAt: null,
    isScheduled: false,
    claimedUntil: new Date(0),
    sentAt: null,
    problem: null,
    attempts: 0,
  };
  await tx
    .insertInto('drafts')
    .values({ projectId, mailboxId, id, ...values })
    .onConflict((conflict) => conflict.columns(['projectId', 'mailboxId', 'id']).doUpdateSet(values))
    .execute();
  await keepUploads(tx, draft, draft.content.attachments);
  await assignToDraft(tx, draft, id, linkTokensOf(draft.content));
  return savedAt;
}

/** Marks uploads as used. An upload is removed a day after its last use at the earliest, and never while a draft contains it. */
async function keepUploads(
  tx: DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
  ids: readonly string[],
): Promise<void> {
  await sql`
    update uploads set used_at = now()
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = any (${uuidArray(ids)}::uuid[])
      and used_at < now() - interval '1 hour'`.execute(tx);
}

/** Deletes the row of a draft and closes its file links, which no recipient has received. */
export async function deleteDraft(tx: DatabaseTransaction, mailbox: MailboxKey, id: string): Promise<void> {
  const { projectId, mailboxId } = mailbox;
  await settleDraft(tx, mailbox, id, null, null);
  await tx
    .deleteFrom('drafts')
    .where('projectId', '=', projectId)
    .where('mailboxId', '=', mailboxId)
    .where('id', '=', id)
    .execute();
}
