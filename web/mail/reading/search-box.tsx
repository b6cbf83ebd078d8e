import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { type KeyboardEvent, Suspense, useEffect, useId, useRef, useState } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { IconButton } from '../../ui/button.tsx';
import { Input } from '../../ui/field.tsx';
import { ChevronDownIcon, CloseIcon, SearchIcon } from '../../ui/icons.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { useMailbox } from '../shell/session.ts';
import { SEARCH } from './folders.ts';
import { useKeys } from '../../shell/keys.ts';
import { rememberSearch } from './search/recent-searches.ts';
import { isUnfinished } from './search-text.ts';
import type { SuggestionKeys } from './search/suggestions.tsx';

// Loaded on demand, because the list is shown without them.
const SearchSuggestions = lazyPart(() => import('./search/suggestions.tsx'));
const SearchForm = lazyPart(() => import('./search/search-form.tsx'));

/** A search starts once the user has typed nothing for this long, which is long enough to type another letter. */
const PAUSE_MS = 150;
const MAX_LENGTH = 1_000;

/** Searches all folders after each pause in typing. Clearing the box returns to the previous folder. */
export function SearchBox() {
  const { mailbox, address } = useMailbox();
  const navigate = useNavigate();
  const { folder = 'inbox' } = useParams({ strict: false });
  const search: { q?: string } = useSearch({ strict: false });
  const isSearch = folder === SEARCH;
  const q = isSearch ? (search.q ?? '') : '';
  const input = useRef<HTMLInputElement>(null);
  const listId = useId();
  const suggestions = useRef<SuggestionKeys>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [active, setActive] = useState<string>();
  const [hasForm, setHasForm] = useState(false);
  /** The folder from which the search began. */
  const origin = useRef('inbox');
  useEffect(() => {
    if (!isSearch) origin.current = folder;
  });
  /** Typed text that has not been searched for yet. */
  const [draft, setDraft] = useState<string | null>(null);

  const lookFor = (text: string) => {
    const words = text.trim();
    if (words === q) return;
    if (words === '') void navigate({ to: '/$address/$folder', params: { address, folder: origin.current } });
    else
      void navigate({
        to: '/$address/$folder',
        params: { address, folder: SEARCH },
        search: { q: words },
        // With `replace`, the browser's back button returns to the folder and skips the steps of typing.
        replace: isSearch,
      });
  };
  useEffect(() => {
    if (draft === null) return undefined;
    const timer = setTimeout(() => {
      if (isUnfinished(draft)) return;
      lookFor(draft);
      // A trailing space stays in the box while the words before the space are searched for.
      if (draft === draft.trim()) setDraft(null);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  });
  useKeys({
    '/'() {
      input.current?.focus();
      input.current?.select();
    },
  });
  const searchNow = (text: string) => {
    lookFor(text);
    rememberSearch(mailbox, text);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (isOpen && suggestions.current?.press(event.key, event.shiftKey) === true) {
      event.preventDefault();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setIsOpen(false);
      setDraft(null);
      lookFor('');
      input.current?.blur();
    } else if (event.key === 'Enter' || event.key === 'ArrowDown') {
      event.preventDefault();
      searchNow(draft ?? q);
      setDraft(null);
      setIsOpen(false);
      document.querySelector<HTMLElement>('[data-row] a')?.focus();
    }
  };
  const shown = draft ?? q;
  return (
    <div role="search" className="relative min-w-0 flex-1 sm:max-w-xl">
      <SearchIcon className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-muted" />
      <Input
        ref={input}
        type="text"
        role="searchbox"
        aria-label="Search mail"
        aria-autocomplete="list"
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen ? active : undefined}
        placeholder="Search mail"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="search"
        maxLength={MAX_LENGTH}
        value={shown}
        className="border-line bg-panel pr-17 pl-9 sm:pr-17 sm:pl-9"
        onFocus={() => setIsOpen(true)}
        onClick={() => setIsOpen(true)}
        onChange={(event) => {
          setDraft(event.target.value);
          setIsOpen(true);
        }}
        onKeyDown={onKeyDown}
        onBlur={() => {
          setIsOpen(false);
          if (draft !== null && !isUnfinished(draft)) lookFor(draft);
          rememberSearch(mailbox, draft ?? q);
          setDraft(null);
        }}
      />
      {shown === '' ? (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute end-9 top-1/2 -translate-y-1/2 max-sm:hidden"
        >
          <Kbd>/</Kbd>
        </span>
      ) : (
        <IconButton
          label="Clear search"
          className="absolute end-8 top-1/2 -translate-y-1/2 sm:size-7"
          onClick={() => {
            setDraft(null);
            lookFor('');
          }}
        >
          <CloseIcon />
        </IconButton>
      )}
      <IconButton
        label="Search options"
        className="absolute end-0.5 top-1/2 -translate-y-1/2 sm:size-7"
        onClick={() => setHasForm(true)}
      >
        <ChevronDownIcon />
      </IconButton>
      {isOpen && input.current !== null && (
        <Suspense fallback={null}>
          <SearchSuggestions
            id={listId}
            text={shown}
            anchor={input.current}
            keys={suggestions}
            onActive={setActive}
            onOptions={() => {
              setIsOpen(false);
              setHasForm(true);
            }}
            onPick={(text, isWhole) => {
              setDraft(text);
              if (!isWhole) return;
              searchNow(text);
              setIsOpen(false);
            }}
          />
        </Suspense>
      )}
      {hasForm && (
        <Suspense fallback={null}>
          <SearchForm q={shown} onClose={() => setHasForm(false)} onSearch={searchNow} />
        </Suspense>
      )}
    </div>
  );
}
