/** The folder of a mailbox that mail of another server or of files is copied into. */
import { AppError } from '../model/app-error.ts';
import { normalFolderName } from '../store/folder-name.ts';
import type { NewFolder } from '../store/folders.ts';
import type { MailboxKey } from '../store/lock-mailboxes.ts';
import type { Store } from '../store/store.ts';

/**
 * Finds a folder by its name, or creates it.
 * @returns `refusal`: why the folder cannot be created, as the end of a sentence
 * @throws AppError not-found if the mailbox was deleted
 */
export async function findOrCreateFolder(
  store: Pick<Store, 'folders' | 'createFolder'>,
  mailbox: MailboxKey,
  folder: NewFolder,
): Promise<{ folderId: string } | { refusal: string }> {
  const path = normalFolderName(folder.name);
  const find = async () => (await store.folders(mailbox)).find(({ name }) => name === path)?.id;
  let folderId = await find();
  if (folderId !== undefined) return { folderId };
  const created = await store.createFolder(mailbox, folder);
  switch (created.outcome) {
    case 'done':
      return { folderId: created.folderId };
    case 'taken':
      // Another process has created it in the meantime.
      folderId = await find();
      return folderId === undefined ? { refusal: 'it was deleted in the meantime' } : { folderId };
    case 'too-many':
      return { refusal: 'the mailbox has too many folders' };
    case 'bad-name':
      return { refusal: `its name ${created.fault}` };
    case 'no-mailbox':
      throw mailboxDeleted();
    default:
      return { refusal: created.outcome };
  }
}

export function mailboxDeleted(): AppError {
  return new AppError('not-found', 'The mailbox was deleted in the meantime.');
}
