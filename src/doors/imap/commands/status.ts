import type { StatusItem } from '../../../rfc/imap/command.ts';
import { formatMailbox } from '../../../rfc/imap/format-text.ts';
import type { FolderCounts } from '../../../store/folder-counts.ts';
import type { Folder } from '../../../store/folders.ts';
import type { Account } from '../accounts.ts';
import { formatObjectId } from '../object-ids.ts';
import { type TaggedResponse, RESPONSES, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/** STATUS (RFC 9051, section 6.3.11; RFC 7162, 7889, 8438, 8474, 9208). */
export async function status(
  session: SignedInSession,
  { mailbox, items }: Named<'STATUS'>,
): Promise<TaggedResponse> {
  const folder = await session.findFolder(mailbox);
  if (folder === null) return RESPONSES.noMailbox;
  const read = await statusReader(session, items, folder.id, [folder.account]);
  sendStatus(session, folder.account.prefix + folder.name, read(folder));
  return ok('Status completed');
}

export function sendStatus(session: SignedInSession, name: string, values: string): void {
  session.untagged(`STATUS ${formatMailbox(name, session.isUtf8)} (${values})`);
}

const COUNTED: readonly StatusItem[] = ['RECENT', 'DELETED', 'DELETED-STORAGE'];

/**
 * Reads those of the requested counts that must be computed, because a `Folder` does not have them.
 * @param folderId null to read the counts of all folders
 * @param accounts the accounts whose folders the result can format
 * @returns a function that formats the items of a folder
 */
export async function statusReader(
  session: SignedInSession,
  items: readonly StatusItem[],
  folderId: string | null,
  accounts: readonly Account[],
): Promise<(folder: Folder) => string> {
  if (items.includes('HIGHESTMODSEQ')) session.enableCondstore();
  const deleted = items.some((item) => item.startsWith('DELETED'));
  const counts = new Map<string, FolderCounts>();
  if (items.some((item) => COUNTED.includes(item)))
    for (const { key } of accounts)
      for (const [id, counted] of await session.services.store.counts(key, { folderId, deleted }))
        counts.set(id, counted);
  return (folder) => {
    const counted = counts.get(folder.id);
    const values: Record<StatusItem, string | number> = {
      MESSAGES: folder.messages,
      UIDNEXT: folder.uidNext,
      UIDVALIDITY: folder.uidValidity,
      UNSEEN: folder.unseen,
      SIZE: folder.octets,
      HIGHESTMODSEQ: Math.max(1, folder.highestModseq),
      MAILBOXID: `(${formatObjectId('mailbox', folder.id)})`,
      APPENDLIMIT: session.services.maxMessageOctets,
      RECENT: counted?.recent ?? 0,
      DELETED: counted?.deleted ?? 0,
      'DELETED-STORAGE': counted?.deletedOctets ?? 0,
    };
    return items.map((item) => `${item} ${values[item]}`).join(' ');
  };
}
