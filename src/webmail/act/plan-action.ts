/** Translates a requested action into a change of messages, and into the folders to which the change applies. */
import type { MailAction, MailActionRequest } from '../../contract/mail/actions.ts';
import { AppError, validationError } from '../../model/app-error.ts';
import type { FolderRole } from '../../model/folder-roles.ts';
import { decodeId, NIL_UUID } from '../../model/ids.ts';
import * as clock from '../../model/clock.ts';
import { FLAG, MUTED, PINNED } from '../../store/flags.ts';
import type { Folder } from '../../store/folders.ts';
import { labelKeyword } from '../labels/keywords.ts';

/** A flag as a bit of `FLAG`, or a keyword. */
type Mark = { flag: number } | { keyword: string };
type Change =
  | { toFolderId: string }
  | ({ op: 'add' | 'remove' } & Mark)
  | { snoozedUntil: Date }
  | 'wake'
  | 'delete';

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

const MARKS: Readonly<Partial<Record<MailAction, { op: 'add' | 'remove' } & Mark>>> = {
  seen: { op: 'add', flag: FLAG.seen },
  unseen: { op: 'remove', flag: FLAG.seen },
  star: { op: 'add', flag: FLAG.flagged },
  unstar: { op: 'remove', flag: FLAG.flagged },
  pin: { op: 'add', keyword: PINNED },
  unpin: { op: 'remove', keyword: PINNED },
  mute: { op: 'add', keyword: MUTED },
  unmute: { op: 'remove', keyword: MUTED },
};

/** Actions that mark only the newest message of a conversation. */
export const NEWEST_ONLY: readonly MailAction[] = ['star', 'pin'];
/** The latest time to which mail can be snoozed. */
const MAX_SNOOZE_MS = 2 * 366 * 86_400_000;

const FOR_EVER: readonly (FolderRole | null)[] = ['trash', 'junk'];
/** When a conversation is moved, the owner's sent messages and drafts stay, and so do messages in Junk and Trash. */
const STAYS: readonly (FolderRole | null)[] = ['sent', 'drafts', 'junk', 'trash'];

/** @param folders all folders of the mailbox @throws AppError not-found, validation-failed */
export function planAction(
  { action, from, to, label, until }: MailActionRequest,
  folders: readonly Folder[],
): PlannedAction {
  const byId = (id: string): Folder => {
    const found = folders.find((folder) => folder.id === (decodeId('fld', id) ?? NIL_UUID));
    if (found === undefined) throw new AppError('not-found', 'There is no such folder.');
    return found;
  };
  if ((to !== undefined) !== (action === 'move'))
    throw validationError({ to: action === 'move' ? 'is required for move' : 'is allowed only for move' });
  if ((label !== undefined) !== (action === 'label' || action === 'unlabel'))
    throw validationError({ label: 'is required for label and unlabel, and allowed only for them' });
  if ((until !== undefined) !== (action === 'snooze'))
    throw validationError({ until: 'is required for snooze, and allowed only for it' });
  const role = TARGETS[action];
  const target =
    to === undefined ? folders.find((folder) => folder.role === role && role !== undefined) : byId(to);
  const source = from === undefined ? null : byId(from);
  if (action === 'delete' && source !== null && !FOR_EVER.includes(source.role))
    throw new AppError(
      'bad-request',
      'Only messages in Trash or Junk can be deleted permanently. Move them there first.',
    );
  const change =
    MARKS[action] ??
    (label !== undefined
      ? { op: action === 'label' ? ('add' as const) : ('remove' as const), keyword: keywordOf(label) }
      : until !== undefined
        ? { snoozedUntil: timeOf(until) }
        : action === 'unsnooze'
          ? ('wake' as const)
          : target === undefined
            ? ('delete' as const)
            : { toFolderId: target.id });
  return { action, change, from: source };
}

function keywordOf(label: string): string {
  const keyword = labelKeyword(label);
  if (keyword === null) throw validationError({ label: 'is not the keyword of a label' });
  return keyword;
}

function timeOf(until: string): Date {
  const time = new Date(until);
  const ahead = time.getTime() - clock.nowMs();
  if (ahead <= 0) throw validationError({ until: 'This time is in the past. Choose a future time.' });
  if (ahead > MAX_SNOOZE_MS) throw validationError({ until: 'Choose a time within the next two years.' });
  return time;
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
      if (action === 'unsnooze') return folder.uses.includes('snoozed');
      if (NEWEST_ONLY.includes(action)) return isEach || !FOR_EVER.includes(folder.role);
      if (typeof change === 'object' && 'op' in change) return true;
      if (action === 'archive' && !isEach) return folder.role === 'inbox';
      return isEach || !STAYS.includes(folder.role);
    })
    .filter((folder) => !isTarget(folder))
    .map(({ id }) => id);
}
