import { useEffect, useState } from 'react';
import { Field, Input } from '../../../ui/field.tsx';

/** Long enough for the next letter of somebody who types. */
const PAUSE_MS = 150;

interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** What is searched for. */
  value: string;
  onSearch(value: string): void;
}

/** Searches with each pause. */
export function SearchField({ label, placeholder, value, onSearch }: SearchFieldProps) {
  /** What is typed and not searched for yet. */
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      onSearch(draft.trim());
      if (draft === draft.trim()) setDraft(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, onSearch]);
  return (
    <Field label={label} isLabelHidden className="w-full max-w-md">
      <Input
        type="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        placeholder={placeholder}
        value={draft ?? value}
        onChange={(event) => setDraft(event.target.value)}
      />
    </Field>
  );
}
