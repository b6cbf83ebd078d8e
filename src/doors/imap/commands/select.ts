import { formatList } from '../../../rfc/imap/format-list.ts';
import { formatObjectId } from '../object-ids.ts';
import { type TaggedResponse, RESPONSES, bad, ok } from '../responses.ts';
import { type MailboxFolder, SelectedFolder } from '../selected-folder.ts';
import type { FolderSession, SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';
import { resync } from './resync.ts';

/** SELECT and EXAMINE (RFC 9051, sections 6.3.2 and 6.3.3; RFC 7162, sections 3.1.8 and 3.2.5). */
export async function select(
  session: SignedInSession,
  command: Named<'SELECT' | 'EXAMINE'>,
): Promise<TaggedResponse> {
  const { qresync } = command;
  if (qresync !== null && !session.enabled.has('QRESYNC')) return bad('QRESYNC requires ENABLE QRESYNC');
  const isOpen = session.selected !== null;
  session.select(null);
  if (isOpen) session.untagged('OK [CLOSED] Previous mailbox closed');
  if (command.condstore) session.enableCondstore();
  const folder = await session.findFolder(command.mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  const { key, account } = folder;
  const isReadOnly = command.name === 'EXAMINE' || !account.mayWrite;
  const opened = await SelectedFolder.open(session.services.store, key, isReadOnly);
  if (opened === null) return RESPONSES.noMailbox;
  const { selected, firstUnseen } = opened;
  session.select(selected, account.grant);
  sendFolder(session as FolderSession, folder, command.mailbox, firstUnseen);
  if (qresync?.uidValidity === selected.uidValidity) await resync(session as FolderSession, qresync);
  return ok('Selected', isReadOnly ? 'READ-ONLY' : 'READ-WRITE');
}

function sendFolder(
  session: FolderSession,
  { id, name: inAccount, account }: MailboxFolder,
  requestedName: string,
  firstUnseen: number | null,
): void {
  const { selected } = session;
  const name = account.prefix + inAccount;
  session.sendFolderFlags(selected);
  session.untagged(`${selected.exists} EXISTS`);
  if (session.isRev2) {
    const oldName = requestedName === name ? {} : { oldName: requestedName };
    session.untagged(`LIST ${formatList({ name, attributes: [], ...oldName }, '/', session.isUtf8)}`);
  } else {
    session.untagged(`${selected.recent} RECENT`);
    if (firstUnseen !== null) session.untagged(`OK [UNSEEN ${firstUnseen}] First unseen message`);
  }
  session.untagged(`OK [UIDVALIDITY ${selected.uidValidity}] UIDs valid`);
  session.untagged(`OK [UIDNEXT ${selected.uidNext}] Predicted next UID`);
  session.untagged(`OK [HIGHESTMODSEQ ${selected.modseq}] Highest MODSEQ`);
  session.untagged(`OK [MAILBOXID (${formatObjectId('mailbox', id)})] Mailbox ID`);
}
