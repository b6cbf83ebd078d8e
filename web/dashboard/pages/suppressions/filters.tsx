import { useEffect, useState } from 'react';
import { Input, Select } from '../../../ui/field.tsx';
import { useSearchParam } from '../../shell/search-params.ts';
import { REASONS } from './words.ts';

/** Between the letters of who types. */
const PAUSE_MS = 200;

export function Filters() {
  const [reason, setReason] = useSearchParam('reason');
  return (
    <div className="mb-3 grid gap-2 sm:grid-cols-[minmax(0,1fr)_12rem]">
      <SearchBox />
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

function SearchBox() {
  const [q, setQ] = useSearchParam('q');
  /** What is typed and not searched for yet. */
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      setQ(draft.trim());
      setDraft(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <Input
      type="search"
      aria-label="Search suppressions"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={254}
      placeholder="A part of the address: ann@, acme.example"
      value={draft ?? q}
      onChange={(event) => setDraft(event.target.value)}
    />
  );
}
