/** Members: people whom a mailbox keeps in the directory of its project. They go with the mailbox (`on delete cascade`). */
import { rowIs } from '../db/row-is.ts';
import type { DatabaseTransaction } from '../db/database.ts';
import { newUuid, timeOf } from '../model/ids.ts';

export interface DirectoryMember {
  /** uuid of a mailbox that the transaction has inserted */
  mailboxId: string;
  /** What people see: the display name of the mailbox, or its address where it has none. */
  name: string;
  /** The address of the mailbox. */
  email: string;
}

/**
 * Adds the person of a new mailbox, in the transaction that makes the mailbox. A person who was added by hand with the
 * same address stays: they are another record.
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

/** Changes the name of a mailbox's person, in the transaction that changes the display name of the mailbox. */
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
 * The same for two spellings of one address of a directory: without case, and however its characters are composed.
 *
 * @param address in the normal form of `parseMailbox`
 */
export function emailKey(address: string): string {
  return address.toLowerCase().normalize('NFC');
}
