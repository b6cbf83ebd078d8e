/** Translates a requested action into a change of messages, and into the folders to which the change applies. */
import type { MailAction, MailActionRequest } from '../../contract/mail/actions.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { decodeId, NIL_UUID } from '../../model/ids.ts';
import { FLAG } from '../../store/flags.ts';
import type { Folder } from '../../store/folders.ts';

type Change = { toFolderId: string } | { op: 'add' | 'remove'; flag: number } | 'delete';

export interface PlannedAction {
  action: MailAction;
  change: Change;
  /** The folder to which the request limits the action; null if the request names no folder. */
  from: Folder | null;
}

const TARGETS: Readonly<Partial<Record<MailAction, FolderRole>>> = {
  archive: 'archive',
  junk: 'junk',
  'not-junk': 'inbox',
  trash: 'trash',
};

const FLAGS: Readonly<Partial<Record<MailAction, { op: 'add' | 'remove'; flag: number }>>> = {
  seen: { op: 'add', flag: FLAG.seen },
  unseen: { op: 'remove', flag: FLAG.seen },
  star: { op: 'add', flag: FLAG.flagged },
  unstar: { op: 'remove', flag: FLAG.flagged },
};

const FOR_EVER: readonly (FolderRole | null)[] = ['trash', 'junk'];
/** When a conversation is moved, the owner's sent messages and drafts stay, and so do messages in Junk and Trash. */
const STAYS: readonly (FolderRole | null)[] = ['sent', 'drafts', 'junk', 'trash'];

/** @param folders all folders of the mailbox @throws AppError not-found, validation-failed */
export function planAction(
  { action, from, to }: MailActionRequest,
  folders: readonly Folder[],
): PlannedAction {
  const byId = (id: string): Folder => {
    const found = folders.find((folder) => folder.id === (decodeId('fld', id) ?? NIL_UUID));
    if (found === undefined) throw new AppError('not-found', 'There is no such folder.');
    return found;
  };
  if ((to !== undefined) !== (action === 'move'))
    throw validationError({ to: action === 'move' ? 'is required for move' : 'is allowed only for move' });
  const role = TARGETS[action];
  const target =
    to === undefined ? folders.find((folder) => folder.role === role && role !== undefined) : byId(to);
  const source = from === undefined ? null : byId(from);
  if (action === 'delete' && source !== null && !FOR_EVER.includes(source.role))
    throw new AppError(
      'bad-request',
      'Only messages in Trash or Junk can be deleted permanently. Move them there first.',
    );
  const change = FLAGS[action] ?? (target === undefined ? ('delete' as const) : { toFolderId: target.id });
  return { action, change, from: source };
}

/** The folders whose messages an action changes. @param isEach whether the request names messages instead of conversations */
export function foldersOf(
  { action, change, from }: PlannedAction,
  folders: readonly Folder[],
  isEach: boolean,
): string[] {
  const isTarget = (folder: Folder) =>
    typeof change === 'object' && 'toFolderId' in change && change.toFolderId === folder.id;
  return folders
    .filter((folder) => {
      if (from !== null) return folder.id === from.id;
      if (action === 'delete') return FOR_EVER.includes(folder.role);
      if (action === 'not-junk') return folder.role === 'junk';
      if (action === 'star') return isEach || !FOR_EVER.includes(folder.role);
      if (typeof change === 'object' && 'op' in change) return true;
      if (action === 'archive' && !isEach) return folder.role === 'inbox';
      return isEach || !STAYS.includes(folder.role);
    })
    .filter((folder) => !isTarget(folder))
    .map(({ id }) => id);
}
