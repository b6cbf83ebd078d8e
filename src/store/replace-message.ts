/** Replaces a message with another one (RFC 8508). */
import { type RawBuilder, sql } from 'kysely';
import type { DatabaseTransaction } from '../db/database.ts';
import { type AppendResult, admit, type NewMessage, lockBatch, resultOf, write } from './append.ts';
import { readRows } from './expunge.ts';
import type { FolderKey, MailDatabase } from './in-folder.ts';
import { keyOf } from './lock-mailboxes.ts';
import { type FolderRequest, folderOf, writingFolders } from './locked-folders.ts';
import { noteUsage } from './usage.ts';
import { forgetContents, recordingExpunged, releasingStorage, removeMessages } from './remove-messages.ts';

export type ReplaceResult = AppendResult | { outcome: 'no-message' };
export type ReplacedWithin = ReplaceResult | { outcome: 'removed'; folderId: string };

/** The new message cannot be stored. Thrown to roll back the transaction. */
export class NotReplaced extends Error {
  readonly result: ReplaceResult;

  constructor(result: ReplaceResult) {
    super(result.outcome);
    this.result = result;
  }
}

/**
 * Stores a message and permanently deletes another one, atomically. The quota used by the old message is available to the new message.
 * @param message the new message, for any folder of the same mailbox
 * @param uid the UID of the old message in `folder`
 */
export async function replaceMessage(
  mail: MailDatabase,
  folder: FolderKey,
  uid: number,
  message: NewMessage,
): Promise<ReplaceResult> {
  const { projectId, mailboxId, folderId } = folder;
  const request = { projectId, mailboxId, folder: { id: folderId } };
  const transaction = () =>
    mail.database
      .transaction()
      .execute((tx) => exchange(tx, request, sql`m.uid = ${uid}`, message) as Promise<ReplaceResult>);
  try {
    return await mail.alone(folder, transaction);
  } catch (error) {
    if (error instanceof NotReplaced) return error.result;
    throw error;
  }
}

/**
 * Like `replaceMessage`, in the caller's transaction. Identifies the old message by its object id, which is the same in all folders.
 * @param message null to only remove the old message
 * @throws NotReplaced if the new message cannot be stored: the caller must roll back the transaction
 */
export function replaceWithin(
  tx: DatabaseTransaction,
  request: FolderRequest,
  objectId: string,
  message: NewMessage | null,
): Promise<ReplacedWithin> {
  return exchange(tx, request, sql`m.object_id = ${objectId}`, message);
}

async function exchange(
  tx: DatabaseTransaction,
  request: FolderRequest,
  which: RawBuilder<unknown>,
  message: NewMessage | null,
): Promise<ReplacedWithin> {
  const state = await lockBatch(tx, message === null ? [] : [message], [request]);
  const mailbox = state.mailboxes.get(keyOf(request));
  const from = folderOf(state.folders, request);
  if (mailbox === undefined || from === undefined) return { outcome: 'no-folder' };
  const old = await readRows(tx, { mailbox, folder: from }, null, { also: which, limit: 1 });
  const [row] = old;
  if (row === undefined) return { outcome: 'no-message' };
  await removeMessages(tx, from, old);
  if (message === null) {
    await forgetContents(
      tx,
      mailbox,
      old,
      sql`${writingFolders([from])}, ${recordingExpunged(from, old)}, ${releasingStorage(mailbox, old)}`,
    );
    return { outcome: 'removed', folderId: from.id };
  }
  const releasing = releasingStorage(mailbox, old);
  await forgetContents(tx, mailbox, old, sql`${recordingExpunged(from, old)}, ${releasing}`);
  const left = state.storageLeft.get(request.projectId);
  if (left !== undefined) state.storageLeft.set(request.projectId, left + row.octets);
  const admission = admit(message, state, false);
  if ('outcome' in admission) throw new NotReplaced(admission);
  noteUsage(mailbox, false);
  await write(tx, state, [admission]);
  return resultOf(admission);
}
