import type { Database } from '../../db/database.ts';
import { isOwnAddress, mayWriteFrom, ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { findSharedSender, readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { type MailboxAddress, parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { DraftContent } from './draft-content.ts';
import { identitiesOf, type SenderIdentity } from './identities.ts';

export interface DraftSender {
  from: MailboxAddress;
  /** The mailbox of the address, to which the images of the signature belong. */
  mailboxId: string;
  /** The sanitized signature. */
  signatureHtml: string | null;
  /** The Reply-To of the identity. Null: submission adds the Reply-To of the mailbox, if it has one. */
  replyTo: MailboxAddress | null;
  bccSelf: boolean;
}

/**
 * Reads the sender of a draft. Submission checks the sender again.
 * @returns null if the mailbox may not write from that address, or has been deleted
 */
export async function readSender(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  { from, identity }: Pick<DraftContent, 'from' | 'identity'>,
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
    ? { ...row, own, mailboxId }
    : findSharedSender(parsed, { own, shared: await readSharedSenders(database, { projectId, mailboxId }) });
  if (sender === null) return null;
  const at = sender.own.filter((one) => isOwnAddress(parsed, [one]));
  const [found] = await identitiesOf(database, projectId, [sender]);
  const chosen = choose(
    (found?.identities ?? []).filter((each) => {
      const address = parseMailbox(each.address);
      return !('error' in address) && isOwnAddress(address, at);
    }),
    { from: parsed.address, identity: identity ?? null },
  );
  if (chosen === undefined) return null;
  const replyTo = chosen.replyTo === null ? null : parseMailbox(chosen.replyTo);
  return {
    from: { ...parsed, displayName: chosen.name },
    mailboxId: sender.mailboxId,
    signatureHtml: chosen.signatureHtml,
    replyTo: replyTo === null || 'error' in replyTo ? null : replyTo,
    bccSelf: chosen.bccSelf,
  };
}

/** The identity with the id; otherwise the identity of exactly this address, such as a tagged form; otherwise the default. */
function choose(
  identities: readonly SenderIdentity[],
  { from, identity }: { from: string; identity: string | null },
): SenderIdentity | undefined {
  return (
    identities.find(({ id }) => id === identity) ??
    identities.find(({ address }) => address.toLowerCase() === from.toLowerCase()) ??
    identities[0]
  );
}
