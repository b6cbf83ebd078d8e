/** The sender addresses of a mailbox, its signature and its limits. */
import type { Database } from '../../db/database.ts';
import { ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing } from './clean-html.ts';
import { uploadsAddress } from './uploads-address.ts';

export interface WritingIdentities {
  /** The sender addresses. Empty if all addresses of the mailbox are reserved. */
  addresses: string[];
  name: string | null;
  signatureHtml: string | null;
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
  const { displayName, signatureHtml, replyTo, plan } = row;
  const own = await ownAddresses(database, projectId, mailboxId);
  return {
    addresses: writable(own).map(({ address }) => address),
    name: displayName === '' ? null : displayName,
    signatureHtml:
      signatureHtml === null || signatureHtml === ''
        ? null
        : await sanitizeOutgoing(signatureHtml, uploadsAddress(mailboxId)),
    replyTo,
    fileBytes: PLAN_LIMITS[plan].fileBytes,
  };
}
