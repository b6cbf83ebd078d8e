import { useEffect, useState } from 'react';
import { Field, Input } from '../../../ui/field.tsx';

/** Long enough for the next letter of somebody who types. */
const PAUSE_MS = 200;

/** Searches with each pause. */
export function DestinationSearch({ q, onSearch }: { q: string; onSearch(q: string): void }) {
  /** What is typed and not searched for yet. */
  const [draft, setDraft] = useState<string | null>(null);
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (draft.trim() !== q) onSearch(draft.trim());
      setDraft(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <Field label="Search destinations" isLabelHidden className="min-w-0 grow sm:max-w-72">
      <Input
        type="search"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        placeholder="Search destinations"
        value={draft ?? q}
        onChange={(change) => setDraft(change.target.value)}
      />
    </Field>
  );
}
