import { Link } from '@tanstack/react-router';
import { type DragEvent, Fragment, type ReactNode, useState } from 'react';
import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { number } from '../../ui/amounts.ts';
import { classes } from '../../ui/classes.ts';
import {
  ArchiveIcon,
  FolderIcon,
  InboxIcon,
  JunkIcon,
  PenIcon,
  SendIcon,
  TrashIcon,
} from '../../ui/icons.tsx';
import { SnoozeIcon } from '../../ui/triage-icons.tsx';
import { useWatched } from '../../ui/watched.ts';
import { canDrop, dragged } from './dragged.ts';
import { type FolderRole, nameOf, ROLE_NAMES, slugOf, treeOf } from './folders.ts';

export const ROLE_ICONS: Readonly<Record<FolderRole, (props: { className?: string }) => ReactNode>> = {
  inbox: InboxIcon,
  drafts: PenIcon,
  sent: SendIcon,
  archive: ArchiveIcon,
  junk: JunkIcon,
  trash: TrashIcon,
};
export const ROLES = Object.keys(ROLE_NAMES) as FolderRole[];
/** The class names of a list of the menu. Long names do not make the list wider. */
export const LIST = 'grid grid-cols-[minmax(0,1fr)] gap-0.5';
/** The class names of a line of the menu. */
export const LINE =
  'flex h-10 items-center gap-2.5 rounded-md pr-2.5 transition-colors duration-75 hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-accent sm:h-8';
const MAX_DEPTH = 6;
const STEP_REM = 0.875;

interface FolderListProps {
  /** The address of the mailbox. */
  address: string;
  folders: readonly MailFolder[];
  /** How many levels the folders are indented. */
  depth?: number;
  /** Called after a folder is chosen. */
  onChoose: (() => void) | undefined;
}

/** The folders with a role. @param afterInbox shown below the Inbox @param afterDrafts shown below Drafts */
export function RoleFolders({
  folders,
  afterInbox,
  afterDrafts,
  ...line
}: FolderListProps & { afterInbox?: ReactNode; afterDrafts?: ReactNode }): ReactNode {
  return ROLES.map((role) => folders.find((folder) => folder.role === role))
    .filter((folder) => folder !== undefined)
    .map((folder) => (
      <Fragment key={folder.id}>
        <FolderLine folder={folder} {...line} />
        {folder.role === 'inbox' && afterInbox}
        {folder.role === 'drafts' && afterDrafts}
      </Fragment>
    ));
}

/** The other folders, as a tree. */
export function CustomFolders({ folders, depth = 0, ...line }: FolderListProps): ReactNode {
  return treeOf(folders).map((node) => (
    <FolderLine key={node.folder.id} {...line} folder={node.folder} depth={depth + node.depth} />
  ));
}

interface FolderLineProps extends Omit<FolderListProps, 'folders'> {
  folder: MailFolder;
}

function FolderLine({ address, folder, depth = 0, onChoose }: FolderLineProps) {
  const Icon = folder.is_snoozed ? SnoozeIcon : folder.role === null ? FolderIcon : ROLE_ICONS[folder.role];
  // Drafts are never unread, so their number is shown instead.
  const count = folder.role === 'drafts' ? folder.messages : folder.unread;
  const isBold = folder.unread > 0 && folder.role !== 'junk' && folder.role !== 'trash';
  const drop = useDrop(address, folder);
  return (
    <li {...drop.handlers}>
      <Link
        to="/$address/$folder"
        params={{ address, folder: slugOf(folder) }}
        activeOptions={{ includeSearch: false }}
        onClick={onChoose}
        title={folder.path}
        style={{ paddingLeft: `${0.625 + Math.min(depth, MAX_DEPTH) * STEP_REM}rem` }}
        className={classes(
          LINE,
          isBold ? 'font-semibold text-text' : 'font-medium text-muted',
          drop.isTarget && 'outline-1 -outline-offset-1 outline-edge outline-dashed',
          drop.isOver && 'bg-selected text-accent outline-2 outline-accent outline-solid',
        )}
      >
        <Icon />
        <span className="min-w-0 flex-1 truncate">{nameOf(folder)}</span>
        <Count count={count} isBold={isBold} of={folder.role === 'drafts' ? 'drafts' : 'unread'} />
      </Link>
    </li>
  );
}

/** Lets the user drop conversations on a folder. */
function useDrop(address: string, folder: MailFolder) {
  const order = useWatched(dragged);
  const [isOver, setIsOver] = useState(false);
  const isTarget = canDrop(order, address, folder);
  return {
    isTarget,
    isOver: isTarget && isOver,
    handlers: isTarget && {
      onDragOver(event: DragEvent) {
        event.preventDefault();
        setIsOver(true);
      },
      onDragLeave: () => setIsOver(false),
      onDrop(event: DragEvent) {
        event.preventDefault();
        setIsOver(false);
        order?.onDrop(folder);
      },
    },
  };
}

/** The count at the end of a line. */
export function Count({ count, isBold, of }: { count: number; isBold: boolean; of: string }) {
  if (!(count > 0)) return null;
  return (
    <span className={classes('text-xs tabular-nums', isBold ? '' : 'font-normal')}>
      {number(count)}
      <span className="sr-only"> {of}</span>
    </span>
  );
}
