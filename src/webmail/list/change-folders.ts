/** Lets a mailbox owner create folders, and rename or delete folders that have no role. */
import type { MailFolder } from '../../contract/mail/folders.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { Folder, FolderResult } from '../../store/folders.ts';
import type { MailboxKey } from '../../store/lock-mailboxes.ts';
import type { Store } from '../../store/store.ts';
import { shownFolders } from './folder-list.ts';

/** @throws AppError */
export async function makeMailFolder(store: Store, mailbox: MailboxKey, path: string): Promise<MailFolder> {
  const made = await store.createFolder(mailbox, { name: path });
  if (made.outcome !== 'done') throw refusal(made);
  return shown(store, mailbox, made.folderId);
}

/** Renames a folder and its subfolders. @returns null if there is no such folder @throws AppError */
export async function renameMailFolder(
  store: Store,
  mailbox: MailboxKey,
  folderId: string,
  path: string,
): Promise<MailFolder | null> {
  const folder = await ownFolder(store, mailbox, folderId);
  if (folder === null) return null;
  const renamed = await store.renameFolder(mailbox, folder.name, path);
  if (renamed.outcome === 'no-folder') return null;
  if (renamed.outcome !== 'done') throw refusal(renamed);
  return shown(store, mailbox, folderId);
}

/** Deletes a folder and its messages. @returns false if there is no such folder @throws AppError */
export async function deleteMailFolder(
  store: Store,
  mailbox: MailboxKey,
  folderId: string,
): Promise<boolean> {
  const folder = await ownFolder(store, mailbox, folderId);
  if (folder === null) return false;
  const deleted = await store.deleteFolder({ ...mailbox, folderId });
  if (deleted.outcome !== 'done' && deleted.outcome !== 'no-folder') throw refusal(deleted);
  return deleted.outcome === 'done';
}

async function ownFolder(store: Store, mailbox: MailboxKey, folderId: string): Promise<Folder | null> {
  const folder = (await store.folders(mailbox)).find(({ id }) => id === folderId);
  if (folder === undefined) return null;
  if (folder.role !== null) throw refusal({ outcome: 'has-role' });
  return folder;
}

async function shown(store: Store, mailbox: MailboxKey, folderId: string): Promise<MailFolder> {
  const folder = (await store.folders(mailbox)).find(({ id }) => id === folderId);
  const [made] = shownFolders(folder === undefined ? [] : [folder]);
  if (made === undefined) throw new AppError('not-found', 'The folder was just deleted.');
  return made;
}

function refusal(result: Exclude<FolderResult, { outcome: 'done' }>): AppError {
  switch (result.outcome) {
    case 'bad-name':
      return validationError({ path: result.fault });
    case 'taken':
      return new AppError('already-exists', 'A folder with this name already exists. Choose another name.');
    case 'too-many':
      return new AppError('bad-request', 'A mailbox can have at most 1,000 folders. Delete one first.');
    case 'has-role':
      return new AppError('bad-request', 'This is a standard folder, which cannot be renamed or deleted.');
    default:
      return new AppError('not-found', 'There is no such folder.');
  }
}
