import { useEffect, useRef } from 'react';
import type { ListSort } from '../../../../src/contract/mail/conversations.ts';
import { Field, Select } from '../../../ui/field.tsx';
import { LayoutFields } from '../../reading/layout-fields.tsx';
import type { Listing } from '../../reading/use-listing.ts';
import { useChangeView } from './filter-chips.tsx';

const SORTS: Readonly<Record<ListSort, string>> = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  unread: 'Unread first',
  sender: 'Sender',
  size: 'Largest first',
};

/** The order of a folder, and the layout of all lists. @param onShown called when the fields have their size */
export default function ViewOptions({ listing, onShown }: { listing: Listing; onShown(): void }) {
  const change = useChangeView(listing);
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    onShown();
    fields.current?.querySelector<HTMLElement>('select, input:checked')?.focus();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only once, when the popup opens
  }, []);
  return (
    <div ref={fields} className="grid gap-4">
      {listing.folder !== undefined && (
        <Field label="Sort by">
          <Select
            value={listing.view.sort ?? 'newest'}
            onChange={({ target }) => {
              const sort = target.value as ListSort;
              change({ sort: sort === 'newest' ? null : sort });
            }}
          >
            {Object.entries(SORTS).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Select>
        </Field>
      )}
      <LayoutFields />
    </div>
  );
}
