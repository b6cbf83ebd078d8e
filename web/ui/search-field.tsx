import { useEffect, useState } from 'react';
import { Field, Input } from './field.tsx';

/** Long enough for the next letter of somebody who types. */
const PAUSE_MS = 200;

export interface SearchFieldProps {
  label: string;
  placeholder: string;
  /** What is searched for. */
  value: string;
  onSearch(value: string): void;
  /** Default 200. */
  maxLength?: number;
  className?: string;
}

/** Searches with each pause. */
export function SearchField({
  label,
  placeholder,
  value,
  onSearch,
  maxLength = 200,
  className = '',
}: SearchFieldProps) {
  const [typed, setTyped] = useState({ text: value, isWaiting: false });
  useEffect(() => {
    if (!typed.isWaiting) return undefined;
    const timer = setTimeout(() => {
      if (typed.text.trim() !== value) onSearch(typed.text.trim());
      setTyped({ ...typed, isWaiting: false });
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  // A space at the end is not searched for, and stays for the next word.
  const isShown = typed.isWaiting || typed.text.trim() === value;
  return (
    <Field label={label} isLabelHidden className={className}>
      <Input
        type="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={maxLength}
        placeholder={placeholder}
        value={isShown ? typed.text : value}
        onChange={(event) => setTyped({ text: event.target.value, isWaiting: true })}
      />
    </Field>
  );
}
