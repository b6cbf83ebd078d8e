/** What is kept of drafts beside their messages: what a message cannot say, and where they are on their way. */
import { sql } from 'kysely';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf, type RowOf, shaped } from '../../db/columns.ts';
import type { Database, DatabaseTransaction } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { keepWithDraft, settleDraft } from '../../file-links/draft-links.ts';
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
/** A draft, or what became of one that was sent. */
export type DraftRow = RowOf<typeof DRAFT>;

type By = { id: string } | { client: string } | { objectId: string };

/** Those of one mailbox alone. */
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

/** It is on its way, or was. */
export function isAway({ sendsAt, sentAt }: Pick<DraftRow, 'sendsAt' | 'sentAt'>): boolean {
  return sendsAt !== null || sentAt !== null;
}

export interface WrittenDraft extends MailboxKey {
  id: string;
  client: string;
  objectId: string;
  content: DraftContent;
}

/** The draft as it is now, whatever it was before. Its uploads and file links are kept with it. */
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
  await keepWithDraft(tx, draft, id, linkTokensOf(draft.content));
  return savedAt;
}

/** They are not swept for a day, and not at all while a draft has them. */
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

/** Its file links are closed with it: nobody was sent them. */
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
