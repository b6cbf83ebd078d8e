import { Select } from '../../../ui/field.tsx';
import { SearchField } from '../../../ui/search-field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { REASONS } from './words.ts';

export function Filters() {
  const [q, setQ] = useSearchParam('q');
  const [reason, setReason] = useSearchParam('reason');
  return (
    <div className="mb-3 grid gap-2 sm:grid-cols-[minmax(0,1fr)_12rem]">
      <SearchField label="Search suppressions" placeholder="ann@ or acme.example" value={q} onSearch={setQ} />
      <Select
        aria-label="Reason"
        value={reason}
        onChange={(event) => setReason(event.target.value, { push: true })}
      >
        <option value="">Any reason</option>
        {Object.entries(REASONS).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
    </div>
  );
}
