/** What LIST and LSUB tell of the folders of a mailbox. */
import type { ListedMailbox } from '../../rfc/imap/format-list.ts';
import type { FolderRole, FolderUse } from '../../model/folder-roles.ts';
import { parentsOf } from '../../store/folder-name.ts';
import type { Folder } from '../../store/folders.ts';

export const DELIMITER = '/';

/** Special uses as IMAP names them (RFC 6154, section 2; RFC 8457, section 3). */
export const SPECIAL_USES = {
  '\\Archive': 'archive',
  '\\Drafts': 'drafts',
  '\\Junk': 'junk',
  '\\Sent': 'sent',
  '\\Trash': 'trash',
  '\\Important': 'important',
} as const satisfies Record<string, FolderUse>;

/** A name of the tree of folders. */
export interface TreeName {
  name: string;
  /** null: nothing but a level on the way to others, or a name that is subscribed still. */
  folder: Folder | null;
  isSubscribed: boolean;
  hasChildren: boolean;
}

/**
 * All names that there are: folders, names that are subscribed, and the levels above either.
 * @param subscriptions names without folders
 */
export function treeOf(folders: readonly Folder[], subscriptions: readonly string[]): TreeName[] {
  const tree = new Map<string, TreeName>();
  const add = (name: string): TreeName => {
    const known = tree.get(name) ?? { name, folder: null, isSubscribed: false, hasChildren: false };
    tree.set(name, known);
    return known;
  };
  for (const folder of folders) {
    Object.assign(add(folder.name), { folder, isSubscribed: folder.subscribed });
    for (const parent of parentsOf(folder.name)) add(parent).hasChildren = true;
  }
  for (const name of subscriptions) {
    add(name).isSubscribed = true;
    for (const parent of parentsOf(name)) add(parent);
  }
  return [...tree.values()].sort(byName);
}

/** The Inbox first, so that it is what clients show first. */
function byName({ name: a }: TreeName, { name: b }: TreeName): number {
  if (a === 'INBOX' || b === 'INBOX') return a === b ? 0 : a === 'INBOX' ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

export function specialUsesOf({ folder }: TreeName): string[] {
  const uses = new Set<FolderRole | FolderUse | null>([folder?.role ?? null, ...(folder?.uses ?? [])]);
  return Object.entries(SPECIAL_USES)
    .filter(([, use]) => uses.has(use))
    .map(([attribute]) => attribute);
}

export interface ListSelection {
  matches: (name: string) => boolean;
  subscribed: boolean;
  specialUse: boolean;
  /** RECURSIVEMATCH. */
  recursive: boolean;
}

/** A name to list; what is in it and why (RFC 9051, section 6.3.9.6). */
export interface ListedName extends TreeName {
  /** It fits the options itself, not only what is in it. */
  isSelected: boolean;
  childInfo: NonNullable<ListedMailbox['childInfo']>;
}

export function selectNames(tree: readonly TreeName[], selection: ListSelection): ListedName[] {
  const { matches, subscribed, specialUse, recursive } = selection;
  const options = [...(subscribed ? ['SUBSCRIBED'] : []), ...(specialUse ? ['SPECIAL-USE'] : [])];
  const fits = (each: TreeName) =>
    (!subscribed || each.isSubscribed) &&
    (!specialUse || specialUsesOf(each).length > 0) &&
    (options.length > 0 || each.folder !== null || each.hasChildren);
  const selected = new Set(tree.filter(fits).map(({ name }) => name));
  /** Names with something selected in them, and those of them where that is not listed itself. */
  const [above, aboveUnlisted] = [new Set<string>(), new Set<string>()];
  for (const name of recursive ? selected : [])
    for (const parent of parentsOf(name)) {
      above.add(parent);
      if (!matches(name)) aboveUnlisted.add(parent);
    }
  return tree
    .filter(({ name }) => (selected.has(name) || aboveUnlisted.has(name)) && matches(name))
    .map((each) => ({
      ...each,
      isSelected: selected.has(each.name),
      childInfo: above.has(each.name) ? options : [],
    }));
}
