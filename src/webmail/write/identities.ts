/** The sender addresses of a mailbox, their signatures, and the limits of the mailbox. */
import type { Identity } from '../../contract/mail/identities.ts';
import type { Database } from '../../db/database.ts';
import { ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing } from './clean-html.ts';
import { uploadsAddress } from './uploads-address.ts';

export interface WritingIdentities {
  /** The sender addresses, the mailbox's own first. Empty if all addresses of the mailbox are reserved. */
  identities: Identity[];
  replyTo: string | null;
  fileBytes: number;
}

/** @returns null if the mailbox has been deleted */
export async function readIdentities(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
): Promise<WritingIdentities | null> {
  const row = await database
    .selectFrom('mailboxes')
    .innerJoin('projects', 'projects.id', 'mailboxes.projectId')
    .select(['displayName', 'signatureHtml', 'replyTo', 'plan'])
    .where('mailboxes.projectId', '=', projectId)
    .where('mailboxes.id', '=', mailboxId)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { plan, replyTo, ...ofMailbox } = row;
  const own = await ownAddresses(database, projectId, mailboxId);
  const identities: Identity[] = [];
  for (const sender of [
    { own, sending: 'as', ...ofMailbox },
    ...(await readSharedSenders(database, { projectId, mailboxId })),
  ]) {
    const { displayName, sending } = sender;
    const signature = await signatureOf(sender.signatureHtml, mailboxId);
    for (const { address } of writable(sender.own))
      identities.push({
        address,
        name: displayName === '' ? null : displayName,
        signature_html: signature,
        is_on_behalf: sending === 'on-behalf',
      });
  }
  return { identities, replyTo, fileBytes: PLAN_LIMITS[plan].fileBytes };
}

/**
 * Sanitizes a signature for a message of the mailbox. Images of another mailbox are removed, because only its owner can read them.
 * @returns null if there is no signature
 */
export async function signatureOf(html: string | null, mailboxId: string): Promise<string | null> {
  return html === null || html === '' ? null : sanitizeOutgoing(html, uploadsAddress(mailboxId));
}
