/** The names and URLs of folders. */
import { useQuery } from '@tanstack/react-query';
import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { useMailbox } from '../shell/session.ts';
import { foldersQuery } from './queries.ts';

export type FolderRole = NonNullable<MailFolder['role']>;

/** The names of folders with a role, in the order of the menu. */
export const ROLE_NAMES: Readonly<Record<FolderRole, string>> = {
  inbox: 'Inbox',
  drafts: 'Drafts',
  sent: 'Sent',
  archive: 'Archive',
  junk: 'Junk',
  trash: 'Trash',
};

/** The value in the URL for a search, instead of a folder. */
export const SEARCH = 'search';

export function nameOf({ role, name }: MailFolder): string {
  return role === null ? name : ROLE_NAMES[role];
}

/** The value in the URL for a folder. */
export function slugOf({ role, id }: MailFolder): string {
  return role ?? id;
}

export function useFolders(): readonly MailFolder[] | undefined {
  const { mailbox } = useMailbox();
  return useQuery(foldersQuery(mailbox)).data?.data;
}

export function folderAt(folders: readonly MailFolder[] | undefined, slug: string): MailFolder | undefined {
  return folders?.find((folder) => slugOf(folder) === slug);
}

export interface FolderNode {
  folder: MailFolder;
  depth: number;
}

/** The folders that the owner created, as a tree: subfolders follow their parent, one level deeper. */
export function treeOf(folders: readonly MailFolder[]): readonly FolderNode[] {
  const own = folders.filter(({ role }) => role === null);
  const paths = new Set(folders.map(({ path }) => path));
  return own
    .toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
    .map((folder) => {
      const parts = folder.path.split('/');
      const parents = parts.slice(0, -1).map((_, at) => parts.slice(0, at + 1).join('/'));
      // A parent path without a folder adds no level.
      return { folder, depth: parents.filter((path) => paths.has(path)).length };
    });
}

/** The sort key of a folder. Subfolders sort before other folders whose name begins with the parent's name. */
function orderOf({ path }: MailFolder): string {
  return path.replaceAll('/', '\u0000').toLowerCase();
}
