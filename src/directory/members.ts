/** Members: the directory entries of mailboxes. A member is deleted with the mailbox (`on delete cascade`). */
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { newUuid, timeOf } from '../model/ids.ts';

export interface DirectoryMember {
  /** The uuid of a mailbox that the transaction has inserted. */
  mailboxId: string;
  /** The mailbox's display name, or the address of the mailbox if it has no display name. */
  name: string;
  /** The address of the mailbox. */
  email: string;
}

/**
 * Adds the directory entry of a new mailbox, in the transaction that creates the mailbox. A person with the same address who was added by
 * hand stays a separate entry.
 */
export async function addMember(
  tx: DatabaseTransaction,
  projectId: string,
  { mailboxId, name, email }: DirectoryMember,
): Promise<void> {
  const id = newUuid();
  await tx
    .insertInto('people')
    .values({
      projectId,
      id,
      name,
      email,
      emailKey: emailKey(email),
      mailboxId,
      createdAt: timeOf(id),
    })
    .execute();
}

/** Renames a mailbox's directory entry, in the transaction that changes the mailbox's display name. */
export async function renameMember(
  tx: DatabaseTransaction,
  projectId: string,
  mailboxId: string,
  name: string,
): Promise<void> {
  await tx
    .updateTable('people')
    .set({ name })
    .where((row) => rowIs(row, { projectId, mailboxId }))
    .execute();
}

/**
 * Returns the same key for all spellings of an address: ignores case and Unicode composition.
 *
 * @param address in the normal form of `parseMailbox`
 */
export function emailKey(address: string): string {
  return address.toLowerCase().normalize('NFC');
}
