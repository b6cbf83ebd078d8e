import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, type Ref, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import { classes } from '../../../ui/classes.ts';
import { CloseIcon, HistoryIcon, SearchIcon, SettingsIcon, TrashIcon, UserIcon } from '../../../ui/icons.tsx';
import { positionPopup } from '../../../ui/position-popup.ts';
import { useMailbox } from '../../shell/session.ts';
import { shownAddress, shownName } from '../people.ts';
import { forgetSearches, recentSearches } from './recent-searches.ts';

const MAX_PEOPLE = 4;
const MAX_RECENT = 6;
const MAX_OPERATORS = 4;

export interface SuggestionKeys {
  /** Handles a key in the search box. @returns whether the key was used */
  press(key: string, isShift: boolean): boolean;
}

interface SearchSuggestionsProps {
  /** The id of the list. The ids of its options begin with it. */
  id: string;
  /** The text in the search box. */
  text: string;
  anchor: Element;
  keys: Ref<SuggestionKeys>;
  /** Called with the whole new text. @param isWhole whether the search can run at once */
  onPick(text: string, isWhole: boolean): void;
  onOptions(): void;
  /** Called with the id of the selected option. */
  onActive(id: string | undefined): void;
}

interface Option {
  key: string;
  icon: ReactNode;
  label: ReactNode;
  hint?: ReactNode;
  pick(): void;
  /** Absent: the option cannot be deleted. */
  forget?: () => void;
}

/** Suggestions below the search box: people, recent searches and operators. The focus stays in the box. */
export default function SearchSuggestions(props: SearchSuggestionsProps) {
  const { id, text, anchor, keys, onActive } = props;
  const list = useRef<HTMLDivElement>(null);
  const options = useOptions(props);
  const [chosen, setChosen] = useState<{ text: string; at: number } | null>(null);
  // Another text has other suggestions, so none of them is selected.
  const at = chosen?.text === text && chosen.at < options.length ? chosen.at : -1;
  const choose = (next: number) => {
    setChosen({ text, at: next });
    onActive(next === -1 ? undefined : `${id}-${next}`);
  };
  useLayoutEffect(() => {
    if (at === -1) onActive(undefined);
  }, [at, onActive]);
  useImperativeHandle(keys, () => ({
    press(key, isShift) {
      if (options.length === 0) return false;
      if (key === 'ArrowDown') choose(at + 1 === options.length ? -1 : at + 1);
      else if (key === 'ArrowUp') choose(at === -1 ? options.length - 1 : at - 1);
      else if (key === 'Enter' && at !== -1) options[at]?.pick();
      else if (key === 'Delete' && isShift && options[at]?.forget !== undefined) options[at].forget();
      else return false;
      return true;
    },
  }));
  useLayoutEffect(() => {
    const { current } = list;
    // The list must not cover the results without need.
    if (current === null || options.length === 0) return undefined;
    current.showPopover();
    current.style.width = `${anchor.getBoundingClientRect().width}px`;
    positionPopup(current, anchor, { align: 'start', side: 'bottom' });
    return () => current.hidePopover();
  });
  return (
    <div
      ref={list}
      id={id}
      popover="manual"
      role="listbox"
      aria-label="Search suggestions"
      className="fixed inset-auto m-0 max-h-[70dvh] min-w-64 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg bg-raised p-1 text-start text-text shadow-high"
    >
      {options.map(({ key, icon, label, hint, pick, forget }, index) => (
        <div
          key={key}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === at}
          // Otherwise, the box would lose the focus before the click, and the list would close.
          onPointerDown={(event) => {
            event.preventDefault();
            pick();
          }}
          className={classes(
            'flex min-h-10 cursor-pointer items-center gap-2.5 rounded-md px-2.5 sm:min-h-8',
            index === at ? 'bg-selected' : 'hover:bg-hover',
          )}
        >
          <span className="text-muted">{icon}</span>
          <span className="min-w-0 flex-1 truncate">{label}</span>
          {hint !== undefined && (
            <span className="shrink-0 truncate text-sm text-muted max-sm:hidden">{hint}</span>
          )}
          {forget !== undefined && (
            // For the pointer only: an option must not contain a button. Shift Delete deletes the selected search.
            <span
              aria-hidden="true"
              title="Delete this search (Shift Delete)"
              className="-me-1 grid size-8 place-items-center rounded-md text-muted hover:bg-panel sm:size-6"
              onPointerDown={(event) => {
                event.preventDefault();
                event.stopPropagation();
                forget();
              }}
            >
              <CloseIcon className="size-3" />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}

/** An operator with its explanation. */
const OPERATORS: readonly [operator: string, hint: string][] = [
  ['from:', 'Author'],
  ['to:', 'Recipient'],
  ['subject:', 'Subject'],
  ['has:file', 'With attachments'],
  ['filename:', 'Name of an attachment'],
  ['is:unread', 'Unread'],
  ['is:starred', 'Starred'],
  ['in:', 'Folder'],
  ['after:', 'Received on this day or later'],
  ['before:', 'Received before this day'],
  ['larger:', 'Larger than a size, such as 5M'],
];
/** The last word, with the operator that it follows. */
const LAST = /(?:^|\s)(-?)(?:(from|to|cc):)?"?([^\s":]*)$/i;

function useOptions({ text, onPick, onOptions }: SearchSuggestionsProps): Option[] {
  const { mailbox } = useMailbox();
  const [, setForgotten] = useState(0);
  const [, minus = '', operator = '', word = ''] = LAST.exec(text) ?? [];
  const before = text
    .slice(0, text.length - `${minus}${operator && `${operator}:`}${word}`.length)
    .replace(/"$/, '');
  const { data: people } = useQuery({
    queryKey: ['people', mailbox, 'search', word],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/mailboxes/{mailbox}/contacts', {
          params: { path: { mailbox }, query: { q: word.slice(0, 100), at: 0, limit: MAX_PEOPLE } },
          signal,
        }),
      ),
    enabled: word.length >= 2,
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  const forget = (q?: string) => {
    forgetSearches(mailbox, q);
    setForgotten((count) => count + 1);
  };
  const all = recentSearches(mailbox);
  const folded = text.trim().toLowerCase();
  const recent = all
    .filter((q) => q !== text.trim() && q.toLowerCase().includes(folded))
    .slice(0, MAX_RECENT);
  const field = operator === '' ? 'from' : operator.toLowerCase();
  return [
    ...(word.length < 2 ? [] : (people?.data ?? [])).map(({ name, addresses: [address = ''] }): Option => {
      const shown = shownName({ name, address });
      return {
        key: `person ${address}`,
        icon: <UserIcon />,
        label: (
          <>
            <span className="text-muted">{field === 'from' ? 'From' : 'To'} </span>
            <bdi>{shown}</bdi>
          </>
        ),
        hint: shown === shownAddress(address) ? undefined : <bdi>{shownAddress(address)}</bdi>,
        pick: () => onPick(`${before}${minus}${field}:${address.replaceAll('"', '')} `, true),
      };
    }),
    ...recent.map(
      (q): Option => ({
        key: `recent ${q}`,
        icon: <HistoryIcon />,
        label: <bdi>{q}</bdi>,
        pick: () => onPick(q, true),
        forget: () => forget(q),
      }),
    ),
    ...(operator !== '' ? [] : OPERATORS)
      .filter(([name]) => name.startsWith(word.toLowerCase()) && !text.includes(name))
      .slice(0, MAX_OPERATORS)
      .map(
        ([name, hint]): Option => ({
          key: name,
          icon: <SearchIcon />,
          label: name,
          hint,
          pick: () => onPick(`${before}${minus}${name}${name.endsWith(':') ? '' : ' '}`, !name.endsWith(':')),
        }),
      ),
    ...(text !== ''
      ? []
      : [{ key: 'options', icon: <SettingsIcon />, label: 'Search options', pick: onOptions }]),
    ...(text !== '' || all.length === 0
      ? []
      : [{ key: 'clear', icon: <TrashIcon />, label: 'Clear recent searches', pick: () => forget() }]),
  ];
}
