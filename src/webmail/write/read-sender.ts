import type { Database } from '../../db/database.ts';
import { mayWriteFrom, ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { findSharedSender, readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { signatureOf } from './identities.ts';

export interface DraftSender {
  from: MailboxAddress;
  /** The mailbox of the address. */
  mailboxId: string;
  /** The sanitized signature. */
  signatureHtml: string | null;
}

/**
 * Reads the sender of a draft. Submission checks the sender again.
 * @param from null for the first address that the mailbox may write from
 * @returns null if the mailbox may not write from that address, or has been deleted
 */
export async function readSender(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  from: string | null,
): Promise<DraftSender | null> {
  const own = await ownAddresses(database, projectId, mailboxId);
  const row = await database
    .selectFrom('mailboxes')
    .select(['displayName', 'signatureHtml'])
    .where('projectId', '=', projectId)
    .where('id', '=', mailboxId)
    .executeTakeFirst();
  const parsed = parseMailbox(from ?? writable(own)[0]?.address ?? '');
  if (row === undefined || 'error' in parsed) return null;
  const sender = mayWriteFrom(parsed, own)
    ? { ...row, mailboxId }
    : findSharedSender(parsed, { own, shared: await readSharedSenders(database, { projectId, mailboxId }) });
  if (sender === null) return null;
  const { displayName, signatureHtml } = sender;
  return {
    from: { ...parsed, displayName: displayName === '' ? null : displayName },
    mailboxId: sender.mailboxId,
    signatureHtml: await signatureOf(signatureHtml, mailboxId),
  };
}
