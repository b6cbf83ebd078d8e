/** The tree of mailbox names, for LIST and LSUB. */
import type { ListedMailbox } from '../../rfc/imap/format-list.ts';
import type { FolderRole, FolderUse } from '../../model/folder-roles.ts';
import { parentsOf } from '../../store/folder-name.ts';
import type { Folder } from '../../store/folders.ts';

export const DELIMITER = '/';

/** IMAP names of special uses (RFC 6154, section 2; RFC 8457, section 3). */
export const SPECIAL_USES = {
  '\\Archive': 'archive',
  '\\Drafts': 'drafts',
  '\\Junk': 'junk',
  '\\Sent': 'sent',
  '\\Trash': 'trash',
  '\\Important': 'important',
  '\\Snoozed': 'snoozed',
} as const satisfies Record<string, FolderUse>;

export interface TreeName {
  name: string;
  /** The folder with this name. Null if the name is only a parent of other names, or the subscribed name of a deleted mailbox. */
  folder: Folder | null;
  isSubscribed: boolean;
  hasChildren: boolean;
}

/**
 * Builds the tree from the folders, the subscribed names and the parents of both. A folder sets `hasChildren` on its parents, but a name
 * that is only subscribed does not.
 * @param subscriptions subscribed names without a folder
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

/** Sorts INBOX first, because clients may show mailboxes in this order. */
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
  /** Whether the command has RECURSIVEMATCH. */
  recursive: boolean;
}

export interface ListedName extends TreeName {
  /** Whether the name itself matches the selection options, rather than only children of the name. */
  isSelected: boolean;
  /** Selection options that children match (CHILDINFO; RFC 9051, section 6.3.9.6). */
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
  /** `above`: the parents of all selected names. `aboveUnlisted`: the parents of the selected names that the pattern does not match. */
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
