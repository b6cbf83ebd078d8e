import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useId, useRef } from 'react';
import type { MailAccount } from '../../../src/contract/mail/session.ts';
import { classes } from '../../ui/classes.ts';
import { ChevronDownIcon } from '../../ui/icons.tsx';
import { Skeleton } from '../../ui/skeleton.tsx';
import { useWatched, watched } from '../../ui/watched.ts';
import { accountsQuery, useMailbox } from '../shell/session.ts';
import { catchUp } from './catch-up.ts';
import { Count, CustomFolders, LINE, LIST, RoleFolders } from './folder-list.tsx';
import { foldersQuery } from './queries.ts';

/** How often the folders of an expanded mailbox are loaded, because only the open mailbox and the user's own report changes. */
const REFRESH_MS = 60_000;

/** The mailboxes that the user has expanded or collapsed. By default only the open mailbox is expanded. */
const byHand = watched<ReadonlyMap<string, boolean>>(new Map());

type SharedAccount = MailAccount & { shared: NonNullable<MailAccount['shared']> };

interface SharedMailboxesProps {
  /** The id of the title. */
  labelledBy: string;
  all: readonly SharedAccount[];
  /** Called after a folder is chosen. */
  onChoose: (() => void) | undefined;
}

/** The mailboxes that are shared with the user, each with its folders. */
export default function SharedMailboxes({ labelledBy, all, onChoose }: SharedMailboxesProps) {
  return (
    <ul aria-labelledby={labelledBy} className={LIST}>
      {all.map((account) => (
        <SharedMailbox
          key={account.mailbox}
          account={account}
          // Two mailboxes can have the same name.
          name={
            all.filter(({ display_name: name }) => name === account.display_name).length === 1
              ? (account.display_name ?? account.address)
              : account.address
          }
          onChoose={onChoose}
        />
      ))}
    </ul>
  );
}

interface SharedMailboxProps {
  account: SharedAccount;
  name: string;
  onChoose: (() => void) | undefined;
}

function SharedMailbox({ account: { mailbox, address, shared }, name, onChoose }: SharedMailboxProps) {
  const isCurrent = useMailbox().mailbox === mailbox;
  const isOpen = useWatched(byHand).get(mailbox) ?? isCurrent;
  const queries = useQueryClient();
  const folderList = useId();
  const isLoaded = isOpen || isCurrent;
  const { data, error, dataUpdatedAt } = useQuery({ ...foldersQuery(mailbox), enabled: isLoaded });
  const { dataUpdatedAt: listedAt } = useQuery(accountsQuery);
  useQuery({
    queryKey: ['caught-up', mailbox],
    queryFn: async () => {
      await catchUp(queries, mailbox);
      return null;
    },
    enabled: isOpen && !isCurrent,
    refetchInterval: REFRESH_MS,
  });
  const line = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isCurrent) line.current?.scrollIntoView({ block: 'nearest' });
  }, [isCurrent]);
  // After the user leaves a mailbox, its folders are newer than the list at first.
  const isNewer = isLoaded || dataUpdatedAt > listedAt;
  const inbox = isNewer ? data?.data.find(({ role }) => role === 'inbox') : undefined;
  const unread = inbox?.unread ?? shared.unread;
  const isBold = unread > 0;
  const isReadOnly = shared.access === 'read';
  return (
    <li>
      <div ref={line} className="relative">
        <Link
          to="/$address"
          params={{ address }}
          activeOptions={{ exact: true }}
          aria-current={isCurrent ? 'true' : undefined}
          onClick={onChoose}
          title={address}
          className={classes(
            LINE,
            'pl-8.5',
            isReadOnly && 'h-12! sm:h-11!',
            isCurrent ? 'text-accent' : isBold ? 'text-text' : 'text-muted',
            isCurrent && !isOpen && 'bg-selected',
            isBold ? 'font-semibold' : 'font-medium',
          )}
        >
          <span className="min-w-0 flex-1">
            <span className="block truncate">{name}</span>
            {isReadOnly && <span className="block text-xs font-normal text-muted">Read only</span>}
          </span>
          <Count count={unread} isBold={isBold} of="unread" />
        </Link>
        <button
          type="button"
          aria-label={`Folders of ${address}`}
          aria-expanded={isOpen}
          aria-controls={isOpen ? folderList : undefined}
          onClick={() => byHand.set(new Map(byHand.get()).set(mailbox, !isOpen))}
          className="absolute inset-y-0 left-0 grid w-8.5 place-items-center rounded-md text-muted hover:text-text"
        >
          <ChevronDownIcon className={classes('size-3.5', !isOpen && '-rotate-90')} />
        </button>
      </div>
      {isOpen && (
        <ul id={folderList} aria-label={`Folders of ${address}`} className={classes(LIST, 'mt-0.5')}>
          {data === undefined ? (
            <li className="px-8.5 py-1.5">
              {error === null ? (
                <Skeleton className="h-4.5 w-24" />
              ) : (
                <span className="text-sm text-bad">Could not load the folders</span>
              )}
            </li>
          ) : (
            <>
              <RoleFolders address={address} folders={data.data} depth={1} onChoose={onChoose} />
              <CustomFolders address={address} folders={data.data} depth={1} onChoose={onChoose} />
            </>
          )}
        </ul>
      )}
    </li>
  );
}
