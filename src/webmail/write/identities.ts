/**
 * The identities from which a mailbox sends: an address with a name, a signature, a Reply-To and a copy to oneself. The main identity of a
 * mailbox has the name and the signature of the mailbox, which the API and the dashboard also set. Other identities have a row each.
 */
import type { Identity } from '../../contract/mail/identities.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import { uuidArray } from '../../db/arrays.ts';
import { isOwnAddress, type OwnAddresses, ownAddresses, writable } from '../../mailboxes/own-addresses.ts';
import { readSharedSenders } from '../../mailboxes/sharing/shared-senders.ts';
import { encodeId } from '../../model/ids.ts';
import { PLAN_LIMITS } from '../../model/plans.ts';
import { parseMailbox } from '../../rfc/address/index.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { sanitizeOutgoing, withSources } from './clean-html.ts';
import { uploadsAddress } from './uploads-address.ts';

const ROW = columnsOf({
  mailboxId: 'uuid',
  id: 'uuid',
  address: 'text?',
  displayName: 'text?',
  replyTo: 'text?',
  signatureHtml: 'text?',
  bccSelf: 'bool',
  isDefault: 'bool',
});

/** An identity of one address. */
export interface SenderIdentity {
  /** The id of the mailbox for its main identity. */
  id: string;
  address: string;
  name: string | null;
  /** Sanitized, with `cid:<upload>` for the images, which are uploads of the mailbox of the identity. */
  signatureHtml: string | null;
  replyTo: string | null;
  bccSelf: boolean;
  isDefault: boolean;
}

/** A mailbox in whose name the mailbox may send: the mailbox itself first, then the mailboxes shared with it. */
interface IdentityMailbox {
  mailboxId: string;
  own: OwnAddresses;
  isOnBehalf: boolean;
  displayName: string | null;
  signatureHtml: string | null;
}

export interface WritingIdentities {
  /** The identities, the mailbox's own first. Empty if all addresses of the mailbox are reserved. */
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
  const shared = await readSharedSenders(database, { projectId, mailboxId });
  const mailboxes: IdentityMailbox[] = [
    { mailboxId, own, isOnBehalf: false, ...ofMailbox },
    ...shared.map((sender) => ({ ...sender, isOnBehalf: sender.sending === 'on-behalf' })),
  ];
  const all = await identitiesOf(database, projectId, mailboxes);
  return {
    identities: all.flatMap(({ of, identities }) =>
      identities.map((each) => identityBody(mailboxId, of, each)),
    ),
    replyTo,
    fileBytes: PLAN_LIMITS[plan].fileBytes,
  };
}

function identityBody(
  reader: string,
  { mailboxId, isOnBehalf }: IdentityMailbox,
  { id, address, name, signatureHtml, replyTo, bccSelf, isDefault }: SenderIdentity,
): Identity {
  return {
    id: encodeId('snd', id),
    address,
    name,
    signature_html:
      signatureHtml === null
        ? null
        : withSources(signatureHtml, (upload) => `${uploadsAddress(mailboxId)}${upload}`),
    reply_to: replyTo,
    bcc_self: bccSelf,
    is_default: isDefault,
    is_main: id === mailboxId,
    is_own: mailboxId === reader,
    is_on_behalf: isOnBehalf,
  };
}

/** Reads the identities of mailboxes, in their order. Of each address, the default identity is the first. */
export async function identitiesOf<Of extends Omit<IdentityMailbox, 'isOnBehalf'>>(
  database: Database,
  projectId: string,
  mailboxes: readonly Of[],
): Promise<{ of: Of; identities: SenderIdentity[] }[]> {
  const { rows } = await ROW.sql`
    select mailbox_id, id, address, display_name, reply_to, signature_html, bcc_self, is_default from mailbox_identities
    where project_id = ${projectId} and mailbox_id = any (${uuidArray(mailboxes.map((each) => each.mailboxId))}::uuid[])
    order by id`.execute(database);
  const all: { of: Of; identities: SenderIdentity[] }[] = [];
  for (const of of mailboxes) {
    const { mailboxId, own, displayName, signatureHtml } = of;
    const main = rows.find(({ id }) => id === mailboxId);
    const others = rows.filter((row) => row.mailboxId === mailboxId && row.id !== mailboxId);
    const signature = await signatureOf(signatureHtml, mailboxId);
    const identities = writable(own).flatMap((address, at): SenderIdentity[] => {
      const named = others.flatMap((row): SenderIdentity[] =>
        isAt(row.address, address)
          ? [{ ...row, address: row.address ?? '', name: row.displayName || displayName || null }]
          : [],
      );
      const ofMailbox: SenderIdentity = {
        id: mailboxId,
        address: address.address,
        name: displayName || null,
        signatureHtml: signature,
        replyTo: main?.replyTo ?? null,
        bccSelf: main?.bccSelf ?? false,
        isDefault: false,
      };
      const listed = at === 0 || named.length === 0 ? [ofMailbox, ...named] : named;
      const first = listed.find(({ isDefault }) => isDefault) ?? listed[0];
      return [
        ...listed.filter((each) => each === first).map((each) => ({ ...each, isDefault: true })),
        ...listed.filter((each) => each !== first),
      ];
    });
    all.push({ of, identities });
  }
  return all;
}

function isAt(address: string | null, own: OwnAddresses[number]): boolean {
  const parsed = parseMailbox(address ?? '');
  return !('error' in parsed) && isOwnAddress(parsed, [own]);
}

/**
 * Sanitizes a signature that was set through the API or the dashboard. Images of another mailbox are removed, because only its owner can
 * read them.
 * @returns null if there is no signature
 */
export async function signatureOf(html: string | null, mailboxId: string): Promise<string | null> {
  return html === null || html === '' ? null : sanitizeOutgoing(html, uploadsAddress(mailboxId));
}
