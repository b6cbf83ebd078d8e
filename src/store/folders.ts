/** The folders of a mailbox. */
import { sql } from 'kysely';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { FolderRole } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { normalFolderName, parentsOf } from './folder-name.ts';
import { type FolderKey, inMailbox, type MailDatabase } from './in-folder.ts';
import type { LockedMailbox, MailboxKey } from './lock-mailboxes.ts';
import { writingStates } from './room.ts';

export interface Folder {
  id: string;
  name: string;
  role: FolderRole | null;
  subscribed: boolean;
  uidValidity: number;
  uidNext: number;
  highestModseq: number;
  messages: number;
  unseen: number;
  octets: number;
  /** All that its messages ever had. */
  keywords: string[];
}

/** Of a mailbox, with those that it had from the start. */
const MAX_FOLDERS = 1_000;

/** Sorted by name, in the order of code points. */
export async function listFolders(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<Folder[]> {
  const { rows } = await sql<Folder>`
    select id, name, role, subscribed, uid_validity::float8 as uid_validity, uid_next,
      highest_modseq::float8 as highest_modseq, messages, unseen, octets::float8 as octets, keywords
    from folders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and name is not null
    order by name`.execute(database);
  return rows;
}

export type FolderResult =
  | { outcome: 'done'; folderId: string; uidValidity: number }
  | { outcome: 'no-mailbox' | 'no-folder' | 'bad-name' | 'taken' | 'too-many' | 'has-role' | 'has-children' };

/** Makes a folder, and those that it is in where they are missing (RFC 9051, section 6.3.4). */
export async function createFolder(mail: MailDatabase, key: MailboxKey, name: string): Promise<FolderResult> {
  const path = normalFolderName(name);
  if (path === null) return { outcome: 'bad-name' };
  const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    if (folders.some((folder) => folder.name === path)) return { outcome: 'taken' };
    const made = await insertFolders(tx, mailbox, folders, [...parentsOf(path), path]);
    const last = made?.at(-1);
    return last === undefined
      ? { outcome: 'too-many' }
      : { outcome: 'done', folderId: last.id, uidValidity: last.uidValidity };
  });
  return result ?? { outcome: 'no-mailbox' };
}

const NAMES = rowsOf<{ id: string; name: string; uidValidity: number }>('n', {
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ name }) => name],
  uid_validity: ['int8', ({ uidValidity }) => uidValidity],
});

/** Makes those that are missing, with a UIDVALIDITY that no folder of the mailbox had before. Null: they would be too many. */
async function insertFolders(
  tx: DatabaseTransaction,
  mailbox: LockedMailbox,
  folders: readonly Folder[],
  paths: readonly string[],
) {
  const missing = paths.filter((path) => !folders.some(({ name }) => name === path));
  if (folders.length + missing.length > MAX_FOLDERS) return null;
  const made = missing.map((name) => {
    mailbox.uidValidity = Math.max(mailbox.uidValidity + 1, Math.floor(clock.nowMs() / 1_000));
    return { id: newUuid(), name, uidValidity: mailbox.uidValidity };
  });
  if (made.length === 0) return made;
  await sql`
    with ${writingStates([mailbox])}
    insert into folders (project_id, mailbox_id, ${NAMES.names})
    select ${mailbox.projectId}, ${mailbox.mailboxId}, ${NAMES.values} from ${NAMES.from(made)}`.execute(tx);
  return made;
}

/**
 * Gives a folder, and all within it, another name. Its messages keep their UIDs. The Inbox keeps its name: to rename it would be to
 * move its messages.
 */
export async function renameFolder(
  mail: MailDatabase,
  { projectId, mailboxId, folderId }: FolderKey,
  name: string,
): Promise<FolderResult> {
  const path = normalFolderName(name);
  if (path === null) return { outcome: 'bad-name' };
  const key = { projectId, mailboxId };
  const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    const folder = folders.find(({ id }) => id === folderId);
    if (folder === undefined) return { outcome: 'no-folder' };
    if (folder.role === 'inbox') return { outcome: 'has-role' };
    const old = folder.name;
    const within = folders.filter((each) => each === folder || each.name.startsWith(`${old}/`));
    const renamed = within.map((each) => ({ ...each, name: path + each.name.slice(old.length) }));
    // A folder cannot go into itself.
    if (path.startsWith(`${old}/`) || renamed.some((each) => normalFolderName(each.name) === null))
      return { outcome: 'bad-name' };
    const others = folders.filter((each) => !within.includes(each));
    if (renamed.some((each) => others.some((other) => other.name === each.name)) || path === old)
      return { outcome: 'taken' };
    if ((await insertFolders(tx, mailbox, folders, parentsOf(path))) === null) return { outcome: 'too-many' };
    await sql`
      update folders f set name = n.name from ${NAMES.from(renamed)}
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = n.id`.execute(tx);
    return { outcome: 'done', folderId, uidValidity: folder.uidValidity };
  });
  return result ?? { outcome: 'no-mailbox' };
}

/** Deletes a folder at once; its messages go in the background (`deletingFolders`). The folders that every mailbox has stay. */
export async function deleteFolder(
  mail: MailDatabase,
  { projectId, mailboxId, folderId }: FolderKey,
): Promise<FolderResult> {
  const key = { projectId, mailboxId };
  const result = await inMailbox(mail, key, async (tx): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    const folder = folders.find(({ id }) => id === folderId);
    if (folder === undefined) return { outcome: 'no-folder' };
    if (folder.role !== null) return { outcome: 'has-role' };
    if (folders.some(({ name }) => name.startsWith(`${folder.name}/`))) return { outcome: 'has-children' };
    await sql`
      update folders set name = null
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId}`.execute(tx);
    return { outcome: 'done', folderId, uidValidity: folder.uidValidity };
  });
  return result ?? { outcome: 'no-mailbox' };
}

/** False: no such folder. */
export async function subscribeFolder(
  database: Database,
  { projectId, mailboxId, folderId }: FolderKey,
  subscribed: boolean,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    update folders set subscribed = ${subscribed}
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId} and name is not null`.execute(
    database,
  );
  return numAffectedRows === 1n;
}
