import { useEffect, useState } from 'react';
import { Input } from '../../ui/field.tsx';
import { useSearchParam } from './search-params.ts';

/** Between the letters of who types. */
const PAUSE_MS = 200;
const MAX_LENGTH = 200;

interface SearchFieldProps {
  label: string;
  placeholder: string;
}

/** Searches with each pause; what is searched for is `q` in the address. */
export function SearchField({ label, placeholder }: SearchFieldProps) {
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
      aria-label={label}
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={MAX_LENGTH}
      placeholder={placeholder}
      value={draft ?? q}
      onChange={(event) => setDraft(event.target.value)}
    />
  );
}
