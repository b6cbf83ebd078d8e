import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import type { Contact } from '../../../../src/contract/mail/contacts.ts';
import { lazyPart } from '../../../shell/code.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { counted } from '../../../ui/amounts.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { DownloadIcon, MoreIcon, PeopleIcon, PlusIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { peopleQuery } from '../../people/queries.ts';
import { shownAddress, shownName } from '../../reading/people.ts';
import { useMailbox } from '../../shell/session.ts';
import { exportPeople, useImport } from './files.tsx';

const ContactDialog = lazyPart(() => import('../../people/contact-dialog.tsx'));

/** The people that the mailbox knows: contacts, people found in mail, and the directory. */
export default function PeoplePage() {
  const { mailbox, address, access } = useMailbox();
  const navigate = useNavigate();
  const { q = '' }: { q?: string } = useSearch({ strict: false });
  const [isAdding, setIsAdding] = useState(false);
  const { data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...peopleQuery(mailbox, q),
    placeholderData: keepPreviousData,
  });
  const { input, chooseFile, isImporting } = useImport(mailbox);
  const people = data?.pages.flatMap((page) => page.data);
  const [first] = data?.pages ?? [];
  return (
    <div className="mx-auto w-full max-w-4xl px-4 py-5 sm:px-6">
      <PageHeader
        title="People"
        description="People you saved, and people found in the mail that you sent and received."
        actions={
          <>
            <Menu
              trigger={
                <IconButton label="Import and export" kind="secondary" isBusy={isImporting}>
                  <MoreIcon />
                </IconButton>
              }
            >
              {access !== 'read' && (
                <MenuItem icon={<PlusIcon />} onClick={chooseFile}>
                  Import vCard file
                </MenuItem>
              )}
              <MenuItem icon={<DownloadIcon />} onClick={() => void exportPeople(mailbox)}>
                Export as vCard file
              </MenuItem>
            </Menu>
            {access !== 'read' && (
              <Button kind="primary" icon={<PlusIcon />} onClick={() => setIsAdding(true)}>
                Add contact
              </Button>
            )}
          </>
        }
      />
      {input}
      <SearchField
        label="Search people"
        placeholder="Search people"
        hasKey={false}
        maxLength={100}
        value={q}
        onSearch={(text) =>
          void navigate({
            to: '/$address/people',
            params: { address },
            search: text === '' ? {} : { q: text },
            replace: true,
          })
        }
        className="mb-3 max-w-md"
      />
      <p role="status" className="mb-2 h-5 text-sm text-muted">
        {first !== undefined && first.total > 0 && counted(first.total, 'person', 'people')}
        {first?.is_complete === false && ' Your mail is still being read for addresses.'}
      </p>
      {people === undefined && (
        <NotLoaded title="Could not load the people" error={error} refetch={refetch} />
      )}
      {people?.length === 0 && first?.is_complete !== false && (
        <EmptyState icon={<PeopleIcon />} title={q === '' ? 'No people yet' : 'No one found'}>
          {q === ''
            ? 'People appear here after you receive mail from them or write to them.'
            : 'Search for the beginning of a name or an address.'}
        </EmptyState>
      )}
      {people !== undefined && people.length > 0 && (
        <ul aria-label="People" className="border-t border-line">
          {people.map((person) => (
            <PersonLine key={`${person.source} ${person.addresses[0]}`} person={person} address={address} />
          ))}
        </ul>
      )}
      {hasNextPage && <More isBusy={isFetchingNextPage} onSeen={() => void fetchNextPage()} />}
      {isAdding && (
        <Suspense fallback={null}>
          <ContactDialog
            mailbox={mailbox}
            contact={{ id: null, name: null, note: '', addresses: [] }}
            onClose={() => setIsAdding(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The browser lays out only the lines in view, so that long lists scroll fast. */
function PersonLine({ person, address }: { person: Contact; address: string }) {
  const [first = '', ...more] = person.addresses;
  const name = shownName({ name: person.name, address: first });
  return (
    <li className="border-b border-line [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto]">
      <Link
        to="/$address/people/$person"
        params={{ address, person: first }}
        className="flex min-h-14 items-center gap-3 px-2 py-2 transition-colors duration-75 hover:bg-hover"
      >
        <span
          aria-hidden="true"
          className="grid size-9 shrink-0 place-items-center rounded-full bg-quiet-soft font-medium text-muted"
        >
          {Array.from(name)[0]?.toUpperCase()}
        </span>
        <span className="min-w-0 flex-1">
          <span dir="auto" className="block truncate text-start font-medium">
            {name}
          </span>
          <span className="block truncate text-sm text-muted">
            <bdi>{shownAddress(first)}</bdi>
            {more.length > 0 && (
              <span className="ms-2">{counted(more.length, 'more address', 'more addresses')}</span>
            )}
          </span>
        </span>
        {person.source === 'contact' && <Badge tone="info">Contact</Badge>}
        {person.source === 'directory' && <Badge>Directory</Badge>}
      </Link>
    </li>
  );
}

/** Loads more people when the end of the list is in view. */
function More({ isBusy, onSeen }: { isBusy: boolean; onSeen(): void }) {
  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const { current } = end;
    if (current === null || isBusy) return undefined;
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting === true && onSeen(), {
      rootMargin: '600px',
    });
    observer.observe(current);
    return () => observer.disconnect();
  });
  return (
    <div ref={end} className="py-4 text-center">
      <Button isBusy={isBusy} onClick={onSeen}>
        Show more people
      </Button>
    </div>
  );
}
