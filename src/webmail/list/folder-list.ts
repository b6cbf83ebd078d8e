/** Lists the folders of a mailbox in the order in which the web client shows them. */
import type { MailFolder, MailFolderList } from '../../contract/mail/folders.ts';
import { uuidArray } from '../../db/arrays.ts';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { encodeId } from '../../model/ids.ts';
import { type Folder, listFolders } from '../../store/folders.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import { readQuotas } from '../../store/usage.ts';
import { encodeState } from './mail-state.ts';

const ORDER: readonly FolderRole[] = ['inbox', 'drafts', 'sent', 'archive', 'junk', 'trash'];

/** @returns null if there is no such mailbox */
export async function readFolderList(
  database: Database,
  mailbox: MailboxKey,
): Promise<MailFolderList | null> {
  const folders = await listFolders(database, mailbox);
  const quota = (await readQuotas(database, [mailbox])).get(mailbox.mailboxId);
  if (quota === undefined) return null;
  return {
    state: encodeState(folders),
    data: shownFolders(folders),
    quota: { octets: quota.octets, limit_octets: quota.quotaOctets },
  };
}

const INBOX = columnsOf({ mailboxId: 'uuid', unread: 'int4' });

/** The number of unread messages in the Inbox of each mailbox. A mailbox that never got mail may be missing. */
export async function readInboxUnread(
  database: Database,
  projectId: string,
  mailboxes: readonly Pick<MailboxKey, 'mailboxId'>[],
): Promise<ReadonlyMap<string, number>> {
  if (mailboxes.length === 0) return new Map();
  const { rows } = await INBOX.sql`
    select mailbox_id, unseen as unread from folders
    where project_id = ${projectId} and mailbox_id = any(${uuidArray(mailboxes.map(({ mailboxId }) => mailboxId))}::uuid[])
      and role = 'inbox'`.execute(database);
  return new Map(rows.map(({ mailboxId, unread }) => [mailboxId, unread]));
}

/** @param folders sorted by name */
export function shownFolders(folders: readonly Folder[]): MailFolder[] {
  const ofRole = ORDER.flatMap((role) => folders.find((folder) => folder.role === role) ?? []);
  return [...ofRole, ...folders.filter(({ role }) => role === null)].map((folder) => ({
    id: encodeId('fld', folder.id),
    name: folder.name.slice(folder.name.lastIndexOf('/') + 1),
    path: folder.name,
    role: folder.role,
    is_snoozed: folder.uses.includes('snoozed'),
    messages: folder.messages,
    unread: folder.unseen,
    conversations: folder.conversations,
  }));
}
