import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useState } from 'react';
import { Field } from '../../../ui/field.tsx';
import { SearchInput } from '../../../ui/search-input.tsx';
import { idIn, isUnfinished } from './query-text.ts';

/** A search starts once the user has typed nothing for this long, which is long enough to type another letter. */
const PAUSE_MS = 150;

interface SearchBoxProps {
  /** The search as in the page's URL. */
  q: string;
  error: string | undefined;
  onSearch(q: string): void;
}

/** Searches after each pause in typing. A complete email id opens the email. */
export function SearchBox({ q, error, onSearch }: SearchBoxProps) {
  const navigate = useNavigate();
  /** Typed text that has not been searched for yet. */
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (isUnfinished(draft)) return;
      if (draft.trim() !== q) onSearch(draft.trim());
      // A trailing space stays in the box while the words before the space are searched for.
      if (draft === draft.trim()) setDraft(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });

  const type = (text: string) => {
    const id = idIn(text);
    if (id === null) setDraft(text);
    else void navigate({ to: '/emails/$id', params: { id } });
  };
  const finish = () => {
    if (draft === null) return;
    if (draft.trim() !== q) onSearch(draft.trim());
    setDraft(null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === 'Enter') finish();
    else if (event.key === 'ArrowDown') {
      event.preventDefault();
      document.querySelector<HTMLElement>('[data-email-row] a')?.focus();
    }
  };
  return (
    <Field label="Search emails" isLabelHidden error={error}>
      <SearchInput
        placeholder='to:anna status:bounced "order 42"'
        value={draft ?? q}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => draft !== null && !isUnfinished(draft) && finish()}
      />
    </Field>
  );
}
