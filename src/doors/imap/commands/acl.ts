/**
 * GETACL, MYRIGHTS, LISTRIGHTS, SETACL and DELETEACL (RFC 4314). Rights are those of a whole account, because a grant covers all folders of
 * a mailbox. They cannot be changed over IMAP: to share a mailbox, its owner must confirm their identity, which IMAP cannot request.
 */
import { formatAstring, formatMailbox } from '../../../rfc/imap/format-text.ts';
import type { MailboxAccess } from '../../../model/mailbox-rights.ts';
import { type TaggedResponse, RESPONSES, bad, no, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/**
 * The rights of members (RFC 4314, sections 2.1 and 2.1.1). \Seen belongs to the message and not to the reader, so `read` does not include
 * `s`: reading would change the unread messages of the owner.
 */
const RIGHTS: Readonly<Record<MailboxAccess, string>> = { read: 'lr', write: 'lrswikxtecd' };
const OWNER_RIGHTS = `${RIGHTS.write}a`;
/** The right to read, then the rights that are granted together. */
const GRANTABLE = '"" lr swikxtecd';
const KNOWN_RIGHTS = /^[+-]?[lrswipkxteacd]*$/;

const NOT_OWNER = no('NOPERM', 'Only the owner of a mailbox can see its access rights');
const ELSEWHERE = no(
  'CANNOT',
  'Access rights cannot be changed over IMAP; share the mailbox in the settings of the web client',
);

/** GETACL. Lists the owner and the members of the own account. */
export async function getAcl(
  session: SignedInSession,
  { mailbox }: Named<'GETACL'>,
): Promise<TaggedResponse> {
  const folder = await session.findFolder(mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  if (folder.account.grant !== null) return NOT_OWNER;
  const { isUtf8 } = session;
  const members = await session.mailbox.members();
  const entries = [
    { address: session.mailbox.address, rights: OWNER_RIGHTS },
    ...members.map(({ address, access }) => ({ address, rights: RIGHTS[access] })),
  ];
  const shown = entries.map(({ address, rights }) => `${formatAstring(address, isUtf8)} ${rights}`);
  session.untagged(`ACL ${formatMailbox(folder.account.prefix + folder.name, isUtf8)} ${shown.join(' ')}`);
  return ok('Access rights listed');
}

/** MYRIGHTS. With a read-only app password, the rights are those of the session. */
export async function myRights(
  session: SignedInSession,
  { mailbox }: Named<'MYRIGHTS'>,
): Promise<TaggedResponse> {
  const folder = await session.findFolder(mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  const { grant, mayWrite, prefix } = folder.account;
  const rights = mayWrite ? (grant === null ? OWNER_RIGHTS : RIGHTS.write) : RIGHTS.read;
  session.untagged(`MYRIGHTS ${formatMailbox(prefix + folder.name, session.isUtf8)} ${rights}`);
  return ok('Rights listed');
}

/** LISTRIGHTS. The identifier is returned as the client sent it (RFC 4314, section 3.4). */
export async function listRights(
  session: SignedInSession,
  { mailbox, identifier }: Named<'LISTRIGHTS'>,
): Promise<TaggedResponse> {
  const folder = await session.findFolder(mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  if (folder.account.grant !== null) return NOT_OWNER;
  const { isUtf8 } = session;
  const isOwner = identifier.normalize('NFC').toLowerCase() === session.mailbox.address.toLowerCase();
  const names = `${formatMailbox(folder.name, isUtf8)} ${formatAstring(identifier, isUtf8)}`;
  session.untagged(`LISTRIGHTS ${names} ${isOwner ? OWNER_RIGHTS : GRANTABLE}`);
  return ok('Rights listed');
}

/** SETACL and DELETEACL. */
export async function setAcl(
  session: SignedInSession,
  command: Named<'SETACL' | 'DELETEACL'>,
): Promise<TaggedResponse> {
  if (command.name === 'SETACL' && !KNOWN_RIGHTS.test(command.rights)) return bad('Unknown access right');
  const folder = await session.findFolder(command.mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  return folder.account.grant === null ? ELSEWHERE : NOT_OWNER;
}
