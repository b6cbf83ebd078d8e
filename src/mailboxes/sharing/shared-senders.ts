/** The addresses of other mailboxes that a member may send from (docs/shared-mailboxes.md). */
import { columnsOf, shaped } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { SendingRight } from '../../model/mailbox-rights.ts';
import type { MailboxAddress } from '../../rfc/address/index.ts';
import { mayWriteFrom, type OwnAddresses, ownAddressesOf } from '../own-addresses.ts';

const SENDER = columnsOf({
  mailboxId: 'uuid',
  sending: shaped<Exclude<SendingRight, 'none'>>('text'),
  displayName: 'text?',
  replyTo: 'text?',
  signatureHtml: 'text?',
});

/** A mailbox for which the member may send. */
export interface SharedSender {
  mailboxId: string;
  sending: Exclude<SendingRight, 'none'>;
  /** The addresses of the mailbox, not of the member. */
  own: OwnAddresses;
  displayName: string | null;
  replyTo: string | null;
  signatureHtml: string | null;
}

/** The addresses that a mailbox may send from. */
export interface Senders {
  /** Its own addresses. */
  own: OwnAddresses;
  shared: readonly SharedSender[];
}

/** Reads the mailboxes for which the owner of a mailbox may send, sorted by address. */
export async function readSharedSenders(
  database: Database,
  { projectId, mailboxId }: { projectId: string; mailboxId: string },
): Promise<SharedSender[]> {
  const { rows } = await SENDER.sql`
    select g.mailbox_id, g.sending, m.display_name, m.reply_to, m.signature_html
    from mailbox_grants g join mailboxes m on m.project_id = g.project_id and m.id = g.mailbox_id
    where g.project_id = ${projectId} and g.member_id = ${mailboxId} and g.sending <> 'none'
    order by m.domain, m.local_part_key`.execute(database);
  if (rows.length === 0) return [];
  const addresses = await ownAddressesOf(
    database,
    projectId,
    rows.map((row) => row.mailboxId),
  );
  return rows.map((row) => ({ ...row, own: addresses.get(row.mailboxId) ?? [] }));
}

/**
 * Finds the mailbox in whose name a message from the address is sent. An address that is also the member's own is sent in their own name.
 * @param from as `parseMailbox` returns it
 * @returns null if the message is sent in the member's own name, or if the member may not send from the address
 */
export function findSharedSender(from: MailboxAddress, { own, shared }: Senders): SharedSender | null {
  if (mayWriteFrom(from, own)) return null;
  // The stronger right applies if an alias delivers to several of the mailboxes.
  const found = shared.filter((sender) => mayWriteFrom(from, sender.own));
  return found.find(({ sending }) => sending === 'as') ?? found[0] ?? null;
}

/** All addresses that a mailbox may send from, its own first. @param rights the rights of other mailboxes that count */
export function addressesOf(
  { own, shared }: Senders,
  rights: readonly SendingRight[] = ['as', 'on-behalf'],
): OwnAddresses {
  return [...own, ...shared.flatMap((sender) => (rights.includes(sender.sending) ? sender.own : []))];
}
