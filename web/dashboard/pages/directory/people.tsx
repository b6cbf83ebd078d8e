import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Person } from '../../../../src/contract/directory.ts';
import { Address } from '../../../ui/address.tsx';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { copyText } from '../../../ui/copy.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { Select } from '../../../ui/field.tsx';
import { BookIcon, CopyIcon, MoreIcon, PenIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { Row, Table, Td, Th } from '../../../ui/table.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useSession } from '../../shell/session.ts';
import { peopleQuery, type Source } from './queries.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';

const SOURCES: Readonly<Record<Source, { name: string; tone: Tone }>> = {
  manual: { name: 'Added manually', tone: 'quiet' },
  mailbox: { name: 'Mailbox', tone: 'good' },
  shared: { name: 'Shared', tone: 'info' },
};

interface PeopleProps {
  project: string;
  mayChange: boolean;
  /** The button that adds a person. */
  action: ReactNode;
  onChange(person: Person): void;
  onRemove(person: Person): void;
}

export function People({ project, mayChange, action, onChange, onRemove }: PeopleProps) {
  const [q, setQ] = useSearchParam('q');
  const [word, setSource] = useSearchParam('source');
  const source = word in SOURCES ? (word as Source) : '';
  const { data, error, refetch, fetchNextPage, hasNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...peopleQuery(project, q, source),
    placeholderData: (before) => before,
  });
  const people = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <>
      <div className="mb-3 grid gap-2 sm:grid-cols-[minmax(0,1fr)_12rem]">
        <SearchField
          label="Search people"
          placeholder="Name, address or organization"
          value={q}
          onSearch={setQ}
        />
        <Select
          aria-label="Source"
          value={source}
          onChange={(event) => setSource(event.target.value, { push: true })}
        >
          <option value="">All sources</option>
          {Object.entries(SOURCES).map(([value, { name }]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </Select>
      </div>
      {data === undefined && (
        <NotLoaded title="Could not load the directory" error={error} refetch={refetch} />
      )}
      {data !== undefined && people.length === 0 && (
        <NoPeople isFiltered={q !== '' || source !== ''} action={action} />
      )}
      {people.length > 0 && (
        <Table
          label="People"
          head={
            <>
              <Th>Name</Th>
              <Th isWideOnly>Address</Th>
              <Th isWideOnly>Title</Th>
              <Th>Source</Th>
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            </>
          }
        >
          {people.map((person) => (
            <PersonRow
              key={person.id}
              person={person}
              mayChange={mayChange && person.source === 'manual'}
              onChange={() => onChange(person)}
              onRemove={() => onRemove(person)}
            />
          ))}
        </Table>
      )}
      {hasNextPage && (
        <Button className="mt-3" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </>
  );
}

interface PersonRowProps {
  person: Person;
  mayChange: boolean;
  onChange(): void;
  onRemove(): void;
}

function PersonRow({ person, mayChange, onChange, onRemove }: PersonRowProps) {
  const { projects } = useSession();
  const { name, email, title, organization, notes, source, project_id } = person;
  const owner = projects.find(({ id }) => id === project_id)?.name;
  return (
    <Row>
      <Td className="max-w-0 w-1/2 md:w-2/5">
        <span className="block font-medium md:truncate">
          <Address>{name}</Address>
        </span>
        {name !== email && (
          <span className="block text-sm text-muted md:hidden">
            <Address>{email}</Address>
          </span>
        )}
        {notes !== null && (
          <span className="block truncate text-sm text-muted" title={notes}>
            {notes}
          </span>
        )}
      </Td>
      <Td isWideOnly>
        <Address>{email}</Address>
      </Td>
      <Td isWideOnly className="text-muted wrap-anywhere">
        {[title, organization].filter((each) => each !== null).join(', ') || '–'}
      </Td>
      <Td>
        <Badge tone={SOURCES[source].tone}>{SOURCES[source].name}</Badge>
        {source === 'shared' && owner !== undefined && (
          <span className="block text-sm text-muted wrap-anywhere">by {owner}</span>
        )}
      </Td>
      <Td isNumeric>
        <Menu
          trigger={
            <IconButton label={`More about ${name}`}>
              <MoreIcon />
            </IconButton>
          }
        >
          <MenuItem icon={<CopyIcon />} onClick={() => copyAddress(email)}>
            Copy address
          </MenuItem>
          {mayChange && (
            <>
              <MenuItem icon={<PenIcon />} onClick={onChange}>
                Edit
              </MenuItem>
              <MenuSeparator />
              <MenuItem icon={<TrashIcon />} isDanger onClick={onRemove}>
                Remove
              </MenuItem>
            </>
          )}
        </Menu>
      </Td>
    </Row>
  );
}

function NoPeople({ isFiltered, action }: { isFiltered: boolean; action: ReactNode }) {
  if (isFiltered) return <EmptyState title="No people found">Try another search.</EmptyState>;
  return (
    <EmptyState icon={<BookIcon />} title="No people in the directory yet" action={action || undefined}>
      Mailboxes of this project are listed automatically. You can add other people manually, and other
      projects of your organization can share their directories.
    </EmptyState>
  );
}

function copyAddress(address: string): void {
  copyText(address).then(
    () => toast('Address copied'),
    () => toastFailure(`The browser blocked copying. The address is ${address}`),
  );
}
