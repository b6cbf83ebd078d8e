import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Address } from '../../../ui/address.tsx';
import { Button } from '../../../ui/button.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { mailboxesQuery } from '../mailboxes/queries.ts';

/** A selected mailbox. */
export interface Chosen {
  id: string;
  address: string;
}

interface MailboxChoiceProps {
  project: string;
  value: readonly Chosen[];
  onChange(value: readonly Chosen[]): void;
  error: string | undefined;
}

/** The mailboxes of the project that match the search. Selected mailboxes stay visible even if they do not match. */
export function MailboxChoice({ project, value, onChange, error }: MailboxChoiceProps) {
  const [q, setQ] = useState('');
  /** The selection when the dialog opened, so that deselecting a mailbox does not move the list. */
  const [first] = useState(value);
  const { data, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...mailboxesQuery(project, q),
    placeholderData: keepPreviousData,
  });
  const found = data?.pages.flatMap((page) => page.data) ?? [];
  const pinned = first.filter(({ id }) => !found.some((mailbox) => mailbox.id === id));
  const isChosen = (id: string) => value.some((chosen) => chosen.id === id);
  const toggle = ({ id, address }: Chosen, isOn: boolean) =>
    onChange(isOn ? [...value, { id, address }] : value.filter((chosen) => chosen.id !== id));
  return (
    <fieldset className="grid gap-2">
      <legend className="float-left mb-1 w-full font-medium">Delivers to</legend>
      {error !== undefined && (
        <p role="alert" className="text-sm text-bad">
          {error}
        </p>
      )}
      <SearchField
        label="Search mailboxes"
        placeholder="Search by address or name"
        value={q}
        onSearch={setQ}
        className="w-full max-w-md"
      />
      <div className="grid max-h-56 gap-2 overflow-y-auto rounded-md border border-line p-3">
        {[...pinned, ...found].map((mailbox) => (
          <Checkbox
            key={mailbox.id}
            label={<Address>{mailbox.address}</Address>}
            checked={isChosen(mailbox.id)}
            onChange={(event) => toggle(mailbox, event.target.checked)}
          />
        ))}
        {data !== undefined && found.length === 0 && <p className="text-muted">No mailboxes found.</p>}
        {hasNextPage && (
          <div>
            <Button kind="quiet" onClick={() => void fetchNextPage()}>
              Show more
            </Button>
          </div>
        )}
      </div>
      <p className="text-sm text-muted">
        {value.length === 0 ? 'Choose at least one.' : `${value.length} selected.`} Each mailbox gets one copy
        and may send from this address.
      </p>
    </fieldset>
  );
}
