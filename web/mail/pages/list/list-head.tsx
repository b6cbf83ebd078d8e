import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { number } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { IconButton } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import {
  ArchiveIcon,
  CloseIcon,
  EmailsIcon,
  FolderIcon,
  InboxIcon,
  JunkIcon,
  MoreIcon,
  ReadIcon,
  RefreshIcon,
  StarIcon,
  TrashIcon,
  WarningIcon,
} from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { useHeading } from '../../../ui/use-heading.ts';
import { nameOf, SEARCH } from '../../reading/folders.ts';
import { MAX_COUNTED } from '../../reading/list-view.ts';
import { operatorsOf, without, withTerm } from '../../reading/search-text.ts';
import type { Selection } from '../../reading/selection.ts';
import { TriageMenuItems } from '../../reading/triage-menu.tsx';
import type { Listing } from '../../reading/use-listing.ts';
import { useMailbox } from '../../shell/session.ts';
import { FilterChips } from './filter-chips.tsx';
import type { ListActions } from './use-list-actions.ts';
import { ViewButton } from './view-button.tsx';

const FoundCount = lazyPart(() => import('../../reading/search/found-count.tsx'));

interface ListHeadProps {
  listing: Listing;
  selection: Selection;
  actions: ListActions;
  onRefresh(): void;
}

/** The name of the list. If conversations are selected, the actions on the selected conversations. */
export function ListHead({ listing, selection, actions, onRefresh }: ListHeadProps) {
  const { address, access } = useMailbox();
  const heading = useHeading();
  const { folder, rows, isUnknown } = listing;
  const name = isUnknown ? 'Folder not found' : folder === undefined ? 'Search' : nameOf(folder);
  const { count } = selection;
  return (
    <header className="border-b border-line">
      <div className="flex h-12 items-center gap-1 pr-2 pl-2 sm:h-11">
        {!actions.isReadOnly && (
          <label className="grid size-8 place-items-center">
            <span className="sr-only">Select all</span>
            <input
              type="checkbox"
              className="size-4 accent-fill"
              checked={count > 0}
              disabled={rows.count === 0}
              ref={(box) => {
                if (box !== null) box.indeterminate = count > 0 && count < rows.count;
              }}
              onChange={() => (count > 0 ? selection.clear() : selection.chooseAll())}
            />
          </label>
        )}
        <h1
          ref={heading}
          tabIndex={-1}
          className={classes(
            'min-w-0 truncate px-1 text-lg',
            access !== 'owner' && 'max-w-1/2 shrink-0',
            count > 0 && 'sr-only',
          )}
        >
          {name}
        </h1>
        {count > 0 ? (
          <BulkBar listing={listing} selection={selection} actions={actions} />
        ) : (
          <>
            {folder !== undefined && rows.count > 0 && (
              <span className="text-xs text-muted tabular-nums">
                {listing.view.filter !== undefined && rows.count > MAX_COUNTED
                  ? `${number(MAX_COUNTED)}+`
                  : number(rows.count)}
                <span className="sr-only"> conversations</span>
              </span>
            )}
            {listing.q !== '' && !listing.isPending && (
              <Suspense fallback={null}>
                <FoundCount q={listing.q} />
              </Suspense>
            )}
            {access !== 'owner' && (
              <span className="min-w-0 truncate px-1 text-sm text-muted" title={address}>
                {address}
              </span>
            )}
            {access === 'read' && <Badge>Read only</Badge>}
            <span className="ms-auto flex shrink-0 items-center">
              {folder !== undefined && <FilterChips listing={listing} />}
              <ViewButton listing={listing} />
              {/* On a touch screen, pulling the list down does the same. */}
              <IconButton
                label="Check for new mail"
                className="[@media(hover:none)]:max-sm:sr-only"
                onClick={onRefresh}
              >
                <RefreshIcon />
              </IconButton>
            </span>
          </>
        )}
      </div>
      {listing.folder === undefined && !isUnknown && <SearchChips q={listing.q} />}
      <div role="status">
        {listing.notes.map((note) => (
          <p
            key={note}
            className="flex items-start gap-2 border-t border-line bg-warn-soft px-3 py-2 text-sm text-warn"
          >
            <WarningIcon className="mt-0.5" />
            {note}
          </p>
        ))}
      </div>
    </header>
  );
}

function BulkBar({
  listing: { folder },
  selection,
  actions,
}: Pick<ListHeadProps, 'listing' | 'selection' | 'actions'>) {
  const role = folder?.role;
  const isForEver = role === 'trash' || role === 'junk';
  const [first] = actions.targets();
  return (
    <div role="toolbar" aria-label="Selected conversations" className="flex min-w-0 flex-1 items-center">
      <span role="status" className="mr-auto min-w-0 truncate px-1 font-medium">
        {selection.isAll && 'All '}
        {number(selection.count)} <span className="max-sm:sr-only">selected</span>
      </span>
      {role !== 'archive' && (
        <IconButton label="Archive" onClick={() => actions.run('archive')}>
          <ArchiveIcon />
        </IconButton>
      )}
      <IconButton
        label={isForEver ? 'Delete permanently' : 'Move to Trash'}
        onClick={() => actions.run('trash')}
      >
        <TrashIcon />
      </IconButton>
      <IconButton label="Move to folder" onClick={() => actions.move()}>
        <FolderIcon />
      </IconButton>
      <IconButton label="Mark as read" onClick={() => actions.run('seen')}>
        <ReadIcon />
      </IconButton>
      <Menu
        trigger={
          <IconButton label="More">
            <MoreIcon />
          </IconButton>
        }
      >
        <MenuItem icon={<EmailsIcon />} onClick={() => actions.run('unseen')}>
          Mark as unread
        </MenuItem>
        <MenuItem icon={<StarIcon />} onClick={() => actions.run('star')}>
          Star
        </MenuItem>
        <MenuItem icon={<StarIcon />} onClick={() => actions.run('unstar')}>
          Remove stars
        </MenuItem>
        {first !== undefined && <TriageMenuItems row={first} actions={actions} />}
        {role === 'junk' ? (
          <MenuItem icon={<InboxIcon />} onClick={() => actions.run('not-junk')}>
            Not junk
          </MenuItem>
        ) : (
          <MenuItem icon={<JunkIcon />} onClick={() => actions.run('junk')}>
            Report as junk
          </MenuItem>
        )}
      </Menu>
      <IconButton label="Clear selection" onClick={() => selection.clear()}>
        <CloseIcon />
      </IconButton>
    </div>
  );
}

const OFFERED = ['has:file', 'is:unread', 'is:starred', 'in:sent'];

/** Chips that remove operators from the search, and chips that add common operators. */
function SearchChips({ q }: { q: string }) {
  const { address } = useMailbox();
  const navigate = useNavigate();
  const given = operatorsOf(q);
  const search = (text: string) =>
    void navigate({
      to: '/$address/$folder',
      params: { address, folder: SEARCH },
      search: text === '' ? {} : { q: text },
      replace: true,
    });
  return (
    <div className="flex flex-wrap gap-1.5 px-3 pb-2">
      {given.map((term) => (
        <Chip key={term} isSet label={`Remove ${term}`} onClick={() => search(without(q, term))}>
          <span className="max-w-48 truncate">{term}</span>
          <CloseIcon className="size-3" />
        </Chip>
      ))}
      {OFFERED.filter((term) => !given.includes(term)).map((term) => (
        <Chip key={term} label={`Add ${term}`} onClick={() => search(withTerm(q, term))}>
          {term}
        </Chip>
      ))}
    </div>
  );
}

interface ChipProps {
  label: string;
  isSet?: boolean;
  onClick(): void;
  children: ReactNode;
}

function Chip({ label, isSet = false, onClick, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={classes(
        'inline-flex h-7 items-center gap-1.5 rounded-full px-2.5 text-xs font-medium transition-colors duration-75 sm:h-6',
        isSet ? 'bg-info-soft text-accent' : 'border border-line text-muted hover:bg-hover hover:text-text',
      )}
    >
      {children}
    </button>
  );
}
