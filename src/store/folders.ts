/** The folders of a mailbox. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { FolderRole, FolderUse } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { normalFolderName, parentsOf } from './folder-name.ts';
import { type FolderKey, inMailbox, type MailDatabase } from './in-folder.ts';
import type { LockedMailbox, MailboxKey } from './lock-mailboxes.ts';
import { writingStates } from './usage.ts';
import { keepSubscriptions, subscribeNamed } from './subscriptions.ts';

const FOLDER = columnsOf({
  id: 'uuid',
  name: 'text',
  role: shaped<FolderRole | null>('text?'),
  /** What a mail app said that it is for, beside its role. */
  uses: shaped<FolderUse[]>('text[]'),
  subscribed: 'bool',
  uidValidity: 'float8',
  uidNext: 'int4',
  highestModseq: 'float8',
  /** What was expunged up to this MODSEQ is not known any more. */
  forgottenModseq: 'float8',
  messages: 'int4',
  unseen: 'int4',
  octets: 'float8',
  conversations: 'int4',
  /** Messages with lower UIDs are not among the conversations yet (`list/list-older.ts`). */
  unlistedBelow: 'int4',
  /** All that its messages ever had. */
  keywords: 'text[]',
});
export type Folder = RowOf<typeof FOLDER>;

/** Of a mailbox, with those that it had from the start. */
const MAX_FOLDERS = 1_000;

/** Sorted by name, in the order of code points. */
export async function listFolders(
  database: Database | DatabaseTransaction,
  { projectId, mailboxId }: MailboxKey,
): Promise<Folder[]> {
  const { rows } = await FOLDER.sql`
    select id, name, role, uses, subscribed, uid_validity::float8 as uid_validity, uid_next,
      highest_modseq::float8 as highest_modseq, forgotten_modseq::float8 as forgotten_modseq, messages, unseen,
      octets::float8 as octets, conversations, unlisted_below, keywords
    from folders
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and name is not null
    order by name`.execute(database);
  return rows;
}

export type FolderResult =
  | { outcome: 'done'; folderId: string; uidValidity: number }
  | { outcome: 'no-mailbox' | 'no-folder' | 'bad-name' | 'taken' | 'too-many' | 'has-role' };

export interface NewFolder {
  name: string;
  /** Default: none. */
  uses?: readonly FolderUse[];
  /** Default: yes. A name that is subscribed already stays so. */
  subscribed?: boolean;
}

const MADE = columnsOf({ folderId: 'uuid', uidValidity: 'float8' });

/**
 * Makes a folder, and those that it is in where they are missing (RFC 9051, section 6.3.4). One that was made so is given to who asks for it
 * later, as long as it never held a message: apps that copy a tree of folders may come to the inner ones first.
 */
export async function createFolder(
  mail: MailDatabase,
  key: MailboxKey,
  { name, uses = [], subscribed = true }: NewFolder,
): Promise<FolderResult> {
  const path = normalFolderName(name);
  if (path === null) return { outcome: 'bad-name' };
  const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    const paths = [...parentsOf(path), path];
    if ((await insertFolders(tx, mailbox, folders, paths, subscribed)) === null)
      return { outcome: 'too-many' };
    const { rows } = await MADE.sql`
      update folders set unasked = false, uses = ${uses}::text[], subscribed = subscribed or ${subscribed}
      where project_id = ${key.projectId} and mailbox_id = ${key.mailboxId} and name = ${path} and unasked and uid_next = 1
      returning id as folder_id, uid_validity::float8 as uid_validity`.execute(tx);
    const [made] = rows;
    if (made === undefined) return { outcome: 'taken' };
    await subscribeNamed(tx, key, paths);
    return { outcome: 'done', ...made };
  });
  return result ?? { outcome: 'no-mailbox' };
}

const NAMES = rowsOf<{ id: string; name: string; uidValidity: number }>('n', {
  id: ['uuid', ({ id }) => id],
  name: ['text', ({ name }) => name],
  uid_validity: ['int8', ({ uidValidity }) => uidValidity],
});

/** Makes those that are missing, as not asked for, with a UIDVALIDITY that no folder of the mailbox had before. Null: they would be too many. */
async function insertFolders(
  tx: DatabaseTransaction,
  mailbox: LockedMailbox,
  folders: readonly Folder[],
  paths: readonly string[],
  subscribed: boolean,
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
    insert into folders (project_id, mailbox_id, subscribed, unasked, ${NAMES.names})
    select ${mailbox.projectId}, ${mailbox.mailboxId}, ${subscribed}, true, ${NAMES.values} from ${NAMES.from(made)}`.execute(
    tx,
  );
  return made;
}

/**
 * Gives a folder, and all within it, another name. Its messages keep their UIDs. Subscriptions stay what they were, lists of names (RFC 9051, section 6.3.6). Only a name that no folder has,
 * but others are in, is renamed with them, too. `has-role`: the Inbox keeps its name, and only its messages can go elsewhere.
 */
export async function renameFolder(
  mail: MailDatabase,
  { projectId, mailboxId }: MailboxKey,
  old: string,
  name: string,
): Promise<FolderResult> {
  const [from, path] = [normalFolderName(old), normalFolderName(name)];
  if (from === null) return { outcome: 'no-folder' };
  if (path === null) return { outcome: 'bad-name' };
  const key = { projectId, mailboxId };
  const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    const within = folders.filter((each) => each.name === from || each.name.startsWith(`${from}/`));
    const folder = within[0];
    if (folder === undefined) return { outcome: 'no-folder' };
    if (folder.role === 'inbox') return { outcome: 'has-role' };
    const renamed = within.map((each) => ({ ...each, name: path + each.name.slice(from.length) }));
    // A folder cannot go into itself.
    if (path.startsWith(`${from}/`) || renamed.some((each) => normalFolderName(each.name) === null))
      return { outcome: 'bad-name' };
    const others = folders.filter((each) => !within.includes(each));
    // Of a level without a folder only those within it are renamed, but its new name must be free, too.
    const names = new Set([path, ...renamed.map((each) => each.name)]);
    if (others.some((other) => names.has(other.name)) || path === from) return { outcome: 'taken' };
    if ((await insertFolders(tx, mailbox, folders, parentsOf(path), false)) === null)
      return { outcome: 'too-many' };
    await sql`
      update folders f set name = n.name, subscribed = false, unasked = f.unasked and n.name <> ${path} from ${NAMES.from(renamed)}
      where f.project_id = ${projectId} and f.mailbox_id = ${mailboxId} and f.id = n.id`.execute(tx);
    const subscribed = within.filter((each) => each.subscribed).map((each) => each.name);
    await keepSubscriptions(tx, key, subscribed);
    await subscribeNamed(tx, key, [...names, ...parentsOf(path)]);
    return { outcome: 'done', folderId: folder.id, uidValidity: folder.uidValidity };
  });
  return result ?? { outcome: 'no-mailbox' };
}

/**
 * Deletes a folder at once; its messages go in the background (`deletingFolders`). Those within it stay (RFC 9051, section 6.3.5), and so
 * do the folders that every mailbox has.
 */
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
    if (folder.subscribed) await keepSubscriptions(tx, key, [folder.name]);
    await sql`
      update folders set name = null
      where project_id = ${projectId} and mailbox_id = ${mailboxId} and id = ${folderId}`.execute(tx);
    return { outcome: 'done', folderId, uidValidity: folder.uidValidity };
  });
  return result ?? { outcome: 'no-mailbox' };
}
