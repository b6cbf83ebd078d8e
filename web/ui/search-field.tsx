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
  // The address has the text a moment after it was searched for. Until then the field shows its own text: a letter that is typed meanwhile would
  // otherwise be added to the old one.
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
      <Input
        type="search"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={maxLength}
        placeholder={placeholder}
        value={typed.text}
        onChange={(event) => setTyped({ text: event.target.value, isWaiting: true })}
      />
    </Field>
  );
}
