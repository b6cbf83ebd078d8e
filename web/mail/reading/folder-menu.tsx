import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import type { MailFolder } from '../../../src/contract/mail/folders.ts';
import { bytes, number } from '../../ui/amounts.ts';
import { Button } from '../../ui/button.tsx';
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
import { ClockIcon } from '../../ui/compose-icons.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { outgoingQuery } from '../compose/queries.ts';
import { useCompose } from '../shell/compose.ts';
import { useMailbox } from '../shell/session.ts';
import { type FolderRole, nameOf, ROLE_NAMES, slugOf, treeOf, useFolders } from './folders.ts';
import { foldersQuery, quotaQuery } from './queries.ts';

export const ROLE_ICONS: Readonly<Record<FolderRole, (props: { className?: string }) => ReactNode>> = {
  inbox: InboxIcon,
  drafts: PenIcon,
  sent: SendIcon,
  archive: ArchiveIcon,
  junk: JunkIcon,
  trash: TrashIcon,
};
const ROLES = Object.keys(ROLE_NAMES) as FolderRole[];
const LINE =
  'flex h-10 items-center gap-2.5 rounded-md pr-2.5 transition-colors duration-75 hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-accent sm:h-8';
const MAX_DEPTH = 6;
const STEP_REM = 0.875;

/**
 * The Compose button (on narrow screens the top bar has it), all folders with their unread counts, and the quota.
 * @param onChoose called after a folder is chosen
 */
export function FolderMenu({ onChoose }: { onChoose?: () => void }) {
  const folders = useFolders();
  const compose = useCompose();
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <Button kind="primary" icon={<PenIcon />} className="w-full max-lg:hidden" onClick={() => compose()}>
        Compose
      </Button>
      <nav aria-label="Folders" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {folders === undefined ? <FolderSkeletons /> : <Folders folders={folders} onChoose={onChoose} />}
      </nav>
      {folders !== undefined && <Quota />}
    </div>
  );
}

interface FoldersProps {
  folders: readonly MailFolder[];
  onChoose: (() => void) | undefined;
}

function Folders({ folders, onChoose }: FoldersProps) {
  const own = treeOf(folders);
  return (
    <>
      <ul className="grid gap-0.5">
        {ROLES.map((role) => folders.find((folder) => folder.role === role))
          .filter((folder) => folder !== undefined)
          .map((folder) => (
            <Fragment key={folder.id}>
              <FolderLine folder={folder} onChoose={onChoose} />
              {folder.role === 'drafts' && <ScheduledLine onChoose={onChoose} />}
            </Fragment>
          ))}
      </ul>
      {own.length > 0 && (
        <>
          <h2 className="mt-4 mb-1 px-2.5 text-xs font-medium text-muted">Folders</h2>
          <ul className="grid gap-0.5">
            {own.map(({ folder, depth }) => (
              <FolderLine key={folder.id} folder={folder} depth={depth} onChoose={onChoose} />
            ))}
          </ul>
        </>
      )}
    </>
  );
}

/** The link to scheduled messages, shown if messages are scheduled. */
function ScheduledLine({ onChoose }: Pick<FoldersProps, 'onChoose'>) {
  const { mailbox, address, access } = useMailbox();
  const { data } = useQuery({ ...outgoingQuery(mailbox), enabled: access === 'owner' });
  const count = data?.data.filter(({ status }) => status !== 'sent').length ?? 0;
  if (count === 0) return null;
  return (
    <li>
      <Link
        to="/$address/scheduled"
        params={{ address }}
        onClick={onChoose}
        className={classes(LINE, 'pl-2.5 font-medium text-muted')}
      >
        <ClockIcon />
        <span className="min-w-0 flex-1 truncate">Scheduled</span>
        <span className="text-xs font-normal tabular-nums">
          {number(count)}
          <span className="sr-only"> waiting</span>
        </span>
      </Link>
    </li>
  );
}

interface FolderLineProps {
  folder: MailFolder;
  depth?: number;
  onChoose: (() => void) | undefined;
}

function FolderLine({ folder, depth = 0, onChoose }: FolderLineProps) {
  const { address } = useMailbox();
  const Icon = folder.role === null ? FolderIcon : ROLE_ICONS[folder.role];
  // Drafts are never unread, so their number is shown instead.
  const count = folder.role === 'drafts' ? folder.messages : folder.unread;
  const isBold = folder.unread > 0 && folder.role !== 'junk' && folder.role !== 'trash';
  return (
    <li>
      <Link
        to="/$address/$folder"
        params={{ address, folder: slugOf(folder) }}
        activeOptions={{ includeSearch: false }}
        onClick={onChoose}
        title={folder.path}
        style={{ paddingLeft: `${0.625 + Math.min(depth, MAX_DEPTH) * STEP_REM}rem` }}
        className={classes(LINE, isBold ? 'font-semibold text-text' : 'font-medium text-muted')}
      >
        <Icon />
        <span className="min-w-0 flex-1 truncate">{nameOf(folder)}</span>
        {count > 0 && (
          <span className={classes('text-xs tabular-nums', isBold ? '' : 'font-normal')}>
            {number(count)}
            <span className="sr-only">{folder.role === 'drafts' ? ' drafts' : ' unread'}</span>
          </span>
        )}
      </Link>
    </li>
  );
}

function FolderSkeletons() {
  return (
    <div role="status" aria-label="Loading folders" className="grid gap-3.5 px-2.5 pt-2">
      {ROLES.map((role) => (
        <Skeleton key={role} className="h-4.5 w-24" />
      ))}
    </div>
  );
}

function Quota() {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const { data: quota } = useQuery({
    ...quotaQuery(mailbox),
    initialData: () => queries.getQueryData(foldersQuery(mailbox).queryKey)?.quota,
  });
  if (quota === undefined) return null;
  const words = `${bytes(quota.octets)} of ${bytes(quota.limit_octets)}`;
  return (
    <div className="grid gap-1.5 px-2.5 pb-1">
      <Meter label={`${words} used`} value={quota.octets / Math.max(1, quota.limit_octets)} />
      <p aria-hidden="true" className="text-xs text-faint">
        {words}
      </p>
    </div>
  );
}
