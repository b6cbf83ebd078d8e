import { useEffect, useState } from 'react';
import { Field } from './field.tsx';
import { SearchInput } from './search-input.tsx';

/** A search starts once the user has typed nothing for this long, which is long enough to type another letter. */
const PAUSE_MS = 200;

export interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** The current search. */
  value: string;
  onSearch(value: string): void;
  /** The maximum number of characters, 200 by default. */
  maxLength?: number;
  /** Whether the key `/` focuses the field. Default: true. */
  hasKey?: boolean;
  className?: string;
}

/** Searches after each pause in typing. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  maxLength = 200,
  hasKey = true,
  className = '',
}: SearchFieldProps) {
  const [typed, setTyped] = useState({ text: value, isWaiting: false });
  // The URL receives the text shortly after the search. In the meantime the field keeps the typed text; otherwise the next typed
  // letter would be added to the old text.
  const [known, setKnown] = useState(value);
  if (known !== value) {
    setKnown(value);
    if (!typed.isWaiting && typed.text.trim() !== value) setTyped({ text: value, isWaiting: false });
  }
  useEffect(() => {
    if (!typed.isWaiting) return undefined;
    const timer = setTimeout(() => {
      if (typed.text.trim() !== value) onSearch(typed.text.trim());
      setTyped({ ...typed, isWaiting: false });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <Field label={label} isLabelHidden className={className}>
      <SearchInput
        hasKey={hasKey}
        maxLength={maxLength}
        placeholder={placeholder}
        value={typed.text}
        onChange={(event) => setTyped({ text: event.target.value, isWaiting: true })}
      />
    </Field>
  );
}
