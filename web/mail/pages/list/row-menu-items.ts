/** The actions in the menu of a row. */
import type { ComponentType } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import {
  ArchiveIcon,
  EmailsIcon,
  FolderIcon,
  InboxIcon,
  JunkIcon,
  ReadIcon,
  StarIcon,
  StarredIcon,
  TrashIcon,
} from '../../../ui/icons.tsx';
import type { Action } from '../../reading/actions.ts';
import { type RowMenuItem, TRIAGE_ITEMS } from '../../reading/triage-items.ts';
import type { FolderRole } from '../../reading/folders.ts';

/** @param role the role of the folder that is shown. Undefined for a search */
export function rowMenuItems(role: FolderRole | null | undefined): readonly RowMenuItem[] {
  const isGone = role === 'trash' || role === 'junk';
  const item = (
    action: Action,
    text: string,
    icon: ComponentType,
    shows: (row: ConversationRow) => boolean = () => true,
  ): RowMenuItem => ({
    id: action,
    text: () => text,
    icon,
    shows,
    run: ({ row, act }) => act({ action, conversations: [row.id] }),
  });
  return [
    item('archive', 'Archive', ArchiveIcon, () => role !== 'archive'),
    item('trash', isGone ? 'Delete permanently' : 'Move to Trash', TrashIcon),
    {
      id: 'move',
      text: () => 'Move to folder',
      icon: FolderIcon,
      shows: () => true,
      run: ({ open }) => open('move'),
    },
    role === 'junk' ? item('not-junk', 'Not junk', InboxIcon) : item('junk', 'Report as junk', JunkIcon),
    item('seen', 'Mark as read', ReadIcon, ({ unread }) => unread > 0),
    item('unseen', 'Mark as unread', EmailsIcon, ({ unread }) => unread === 0),
    item('star', 'Star', StarIcon, ({ starred }) => starred === 0),
    item('unstar', 'Remove star', StarredIcon, ({ starred }) => starred > 0),
    ...TRIAGE_ITEMS,
  ];
}
