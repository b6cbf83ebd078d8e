import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useId } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { bytes, quotaBytes } from '../../ui/amounts.ts';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { PenIcon, PeopleIcon, SettingsIcon, StarIcon } from '../../ui/icons.tsx';
import { ClockIcon } from '../../ui/compose-icons.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { outgoingQuery } from '../compose/queries.ts';
import { OutboxLine } from '../outbox/outbox-line.tsx';
import { useCompose } from '../shell/compose.ts';
import { useAccounts, useMailbox } from '../shell/session.ts';
import { Count, CustomFolders, LINE, LIST, RoleFolders, ROLES } from './folder-list.tsx';
import { LabelMenu } from './labels/label-menu.tsx';
import { SEARCH } from './folders.ts';
import { foldersQuery, quotaQuery } from './queries.ts';

// Loaded on demand, because most users have no shared mailbox.
const SharedMailboxes = lazyPart(() => import('./shared-mailboxes.tsx'));

interface FolderMenuProps {
  /** Called after a folder is chosen. */
  onChoose?: () => void;
}

/**
 * The Compose button (on narrow screens the top bar has it), the user's own folders with their unread counts, the mailboxes that are
 * shared with the user, and the quota.
 */
export function FolderMenu({ onChoose }: FolderMenuProps) {
  const { own, ownAddress: address } = useMailbox();
  const { data } = useQuery(foldersQuery(own));
  const shared = useAccounts().flatMap((account) =>
    account.shared?.member === own ? [{ ...account, shared: account.shared }] : [],
  );
  const compose = useCompose();
  const title = useId();
  const list = { address, folders: data?.data ?? [], onChoose };
  return (
    <div className="flex h-full flex-col gap-3 p-3">
      <Button kind="primary" icon={<PenIcon />} className="w-full max-lg:hidden" onClick={() => compose()}>
        Compose
      </Button>
      <nav aria-label="Folders" className="-mx-1 min-h-0 flex-1 overflow-y-auto px-1">
        {data === undefined ? (
          <FolderSkeletons />
        ) : (
          <ul className={LIST}>
            <RoleFolders
              {...list}
              afterInbox={<StarredLine address={address} onChoose={onChoose} />}
              afterDrafts={
                <>
                  <ScheduledLine address={address} onChoose={onChoose} />
                  <OutboxLine onChoose={onChoose} />
                </>
              }
            />
          </ul>
        )}
        {list.folders.some(({ role }) => role === null) && (
          <>
            <h2 className={TITLE}>Folders</h2>
            <ul className={LIST}>
              <CustomFolders {...list} />
            </ul>
          </>
        )}
        <PeopleLine address={address} onChoose={onChoose} />
        <LabelMenu mailbox={own} address={address} heading={TITLE} onChoose={onChoose} />
        {shared.length > 0 && (
          <Suspense fallback={null}>
            <h2 className={TITLE} id={title}>
              Shared with me
            </h2>
            <SharedMailboxes labelledBy={title} all={shared} onChoose={onChoose} />
          </Suspense>
        )}
      </nav>
      <Link
        to="/$address/settings/account"
        params={{ address }}
        onClick={onChoose}
        className={classes(LINE, 'ps-2.5 font-medium text-muted')}
      >
        <SettingsIcon />
        Settings
      </Link>
      {data !== undefined && <Quota />}
    </div>
  );
}

/** The link to the people that the mailbox knows. */
function PeopleLine({ address, onChoose }: { address: string; onChoose: (() => void) | undefined }) {
  return (
    <div className="mt-4">
      <Link
        to="/$address/people"
        params={{ address }}
        activeOptions={{ includeSearch: false }}
        onClick={onChoose}
        className={classes(LINE, 'pl-2.5 font-medium text-muted')}
      >
        <PeopleIcon />
        People
      </Link>
    </div>
  );
}

const TITLE = 'mt-4 mb-1 px-2.5 text-xs font-medium text-muted';

const STARRED = { q: 'is:starred' };

/** The search for starred messages in all folders. */
function StarredLine({ address, onChoose }: { address: string; onChoose: (() => void) | undefined }) {
  return (
    <li>
      <Link
        to="/$address/$folder"
        params={{ address, folder: SEARCH }}
        search={STARRED}
        activeOptions={{ includeSearch: true }}
        onClick={onChoose}
        className={classes(LINE, 'ps-2.5 font-medium text-muted')}
      >
        <StarIcon />
        <span className="min-w-0 flex-1 truncate">Starred</span>
      </Link>
    </li>
  );
}

/** The link to scheduled messages, shown if messages are scheduled. */
function ScheduledLine({ address, onChoose }: { address: string; onChoose: (() => void) | undefined }) {
  const { own } = useMailbox();
  const { data } = useQuery(outgoingQuery(own));
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
        <Count count={count} isBold={false} of="waiting" />
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

/** The storage that the user's own mailbox uses. */
function Quota() {
  const { own } = useMailbox();
  const queries = useQueryClient();
  const { data: quota } = useQuery({
    ...quotaQuery(own),
    initialData: () => queries.getQueryData(foldersQuery(own).queryKey)?.quota,
  });
  if (quota === undefined) return null;
  const words = `${bytes(quota.octets)} of ${quotaBytes(quota.limit_octets)}`;
  return (
    <div className="grid gap-1.5 px-2.5 pb-1">
      <Meter label={`${words} used`} value={quota.octets / Math.max(1, quota.limit_octets)} />
      <p aria-hidden="true" className="text-xs text-faint">
        {words}
      </p>
    </div>
  );
}
