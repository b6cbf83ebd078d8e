import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Address } from '../../../ui/address.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { mailboxesQuery } from '../mailboxes/queries.ts';

interface MailboxPickerProps {
  project: string;
  /** The id of the mailbox. Empty: none. */
  value: string;
  onChange(id: string): void;
  error: string | undefined;
}

/** Chooses one mailbox of the project. */
export function MailboxPicker({ project, value, onChange, error }: MailboxPickerProps) {
  const [q, setQ] = useState('');
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useInfiniteQuery({
    ...mailboxesQuery(project, q),
    placeholderData: keepPreviousData,
  });
  const found = data?.pages.flatMap((page) => page.data) ?? [];
  return (
    <fieldset className="grid gap-2">
      <legend className="float-left mb-1 w-full font-medium">Mailbox</legend>
      <SearchField
        label="Search mailboxes"
        placeholder="Search by address or name"
        value={q}
        onSearch={setQ}
        className="w-full max-w-md"
      />
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3">
        {found.map(({ id, address }) => (
          <Checkbox
            key={id}
            isRadio
            name="mailbox"
            label={<Address>{address}</Address>}
            checked={id === value}
            onChange={() => onChange(id)}
          />
        ))}
        {data !== undefined && found.length === 0 && <p className="text-muted">No mailboxes found.</p>}
        {hasNextPage && (
          <div>
            <Button kind="quiet" isBusy={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}{' '}
          {value !== '' && (
            <Link to="/mailboxes/$id" params={{ id: value }} className="underline">
              Open the mailbox
            </Link>
          )}
        </p>
      )}
      <p className="text-sm text-muted">
        An admin must first allow API access on the page of the mailbox. Its owner can see that.
      </p>
    </fieldset>
  );
}
