/** The folders of a mailbox. */
import { sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../db/columns.ts';
import type { Database, DatabaseTransaction } from '../db/database.ts';
import { rowsOf } from '../db/rows.ts';
import * as clock from '../model/clock.ts';
import type { FolderRole, FolderUse } from '../model/folder-roles.ts';
import { newUuid } from '../model/ids.ts';
import { checkNewFolderName, normalFolderName, parentsOf } from './folder-name.ts';
import { type FolderKey, inMailbox, type MailDatabase } from './in-folder.ts';
import type { LockedMailbox, MailboxKey } from './lock-mailboxes.ts';
import { writingStates } from './usage.ts';
import { keepSubscriptions, subscribeNamed } from './subscriptions.ts';

const FOLDER = columnsOf({
  id: 'uuid',
  name: 'text',
  role: shaped<FolderRole | null>('text?'),
  /** The special uses that a mail app gave the folder, in addition to its role. */
  uses: shaped<FolderUse[]>('text[]'),
  subscribed: 'bool',
  uidValidity: 'float8',
  uidNext: 'int4',
  highestModseq: 'float8',
  /** Records of messages expunged up to this MODSEQ have been deleted. */
  forgottenModseq: 'float8',
  messages: 'int4',
  unseen: 'int4',
  octets: 'float8',
  conversations: 'int4',
  /** Messages with UIDs below this value are not yet included in the conversations (`list-older.ts`). */
  unlistedBelow: 'int4',
  /** All keywords that messages in the folder have ever had. */
  keywords: 'text[]',
});
export type Folder = RowOf<typeof FOLDER>;

/** Maximum number of folders per mailbox, including the standard folders. */
export const MAX_FOLDERS = 1_000;

/** Lists folders sorted by name, in the order of code points. */
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
  /** `fault` describes why no folder can have the name, for example `contains % or *`. */
  | { outcome: 'bad-name'; fault: string }
  | { outcome: 'no-mailbox' | 'no-folder' | 'taken' | 'too-many' | 'has-role' };

export interface NewFolder {
  name: string;
  /** Special uses. Default: none. */
  uses?: readonly FolderUse[];
  /** Default: true. A name that is already subscribed stays subscribed. */
  subscribed?: boolean;
}

const MADE = columnsOf({ folderId: 'uuid', uidValidity: 'float8' });

/**
 * Creates a folder and its missing parents (RFC 9051, section 6.3.4). Apps that copy a folder tree may create inner folders first. Creating
 * a folder that was only created as a parent therefore succeeds, as long as the folder never had a message.
 */
export async function createFolder(
  mail: MailDatabase,
  key: MailboxKey,
  { name, uses = [], subscribed = true }: NewFolder,
): Promise<FolderResult> {
  const checked = checkNewFolderName(name);
  if ('fault' in checked) return { outcome: 'bad-name', ...checked };
  const { path } = checked;
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

/**
 * Creates missing folders, marked as `unasked` (not requested by a client), with a UIDVALIDITY that no folder of the mailbox has had
 * before.
 * @returns null if the mailbox would have too many folders
 */
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
 * Renames a folder and its subfolders. Messages keep their UIDs. Subscriptions are lists of names and do not change (RFC 9051, section
 * 6.3.6). A name that is not a folder but has subfolders can be renamed too. The result for the Inbox is `has-role`, because the Inbox
 * itself cannot be renamed; `renameInbox` moves its messages.
 */
export async function renameFolder(
  mail: MailDatabase,
  { projectId, mailboxId }: MailboxKey,
  old: string,
  name: string,
): Promise<FolderResult> {
  const [from, checked] = [normalFolderName(old), checkNewFolderName(name)];
  if (from === null) return { outcome: 'no-folder' };
  if ('fault' in checked) return { outcome: 'bad-name', ...checked };
  const { path } = checked;
  const key = { projectId, mailboxId };
  const result = await inMailbox(mail, key, async (tx, mailbox): Promise<FolderResult> => {
    const folders = await listFolders(tx, key);
    const within = folders.filter((each) => each.name === from || each.name.startsWith(`${from}/`));
    const folder = within[0];
    if (folder === undefined) return { outcome: 'no-folder' };
    if (folder.role === 'inbox') return { outcome: 'has-role' };
    const renamed = within.map((each) => ({ ...each, name: path + each.name.slice(from.length) }));
    if (path.startsWith(`${from}/`))
      return { outcome: 'bad-name', fault: 'is inside the folder that is renamed' };
    for (const inside of renamed) {
      const within = checkNewFolderName(inside.name);
      if ('fault' in within)
        return { outcome: 'bad-name', fault: `would give a subfolder a name that ${within.fault}` };
    }
    const others = folders.filter((each) => !within.includes(each));
    // If the old name is not a folder, only its subfolders are renamed. Even then, the new name itself must be unused.
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
 * Deletes a folder immediately; its messages are deleted in the background (`deletingFolders`). Subfolders stay (RFC 9051, section 6.3.5).
 * Folders with a role cannot be deleted.
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
