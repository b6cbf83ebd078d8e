import { useNavigate } from '@tanstack/react-router';
import type { ListFilter } from '../../../../src/contract/mail/conversations.ts';
import { classes } from '../../../ui/classes.ts';
import { ClipIcon, EmailsIcon, StarIcon } from '../../../ui/icons.tsx';
import type { ListView } from '../../reading/list-view.ts';
import type { Listing } from '../../reading/use-listing.ts';

const FILTERS: readonly { filter: ListFilter; name: string; icon: typeof StarIcon }[] = [
  { filter: 'unread', name: 'Unread', icon: EmailsIcon },
  { filter: 'starred', name: 'Starred', icon: StarIcon },
  { filter: 'file', name: 'With files', icon: ClipIcon },
];

/** @returns a function that changes how the folder is filtered or sorted */
export function useChangeView({
  view,
}: Listing): (change: { [Name in keyof ListView]: ListView[Name] | null }) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({
      to: '.',
      search(before: Readonly<Record<string, string>>) {
        const next: Readonly<Record<string, string | null>> = { ...before, ...view, ...change };
        return Object.fromEntries(
          Object.entries(next).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
        );
      },
      replace: true,
    });
}

/** Filters of a folder. In a narrow list, they show only their icons. */
export function FilterChips({ listing }: { listing: Listing }) {
  const change = useChangeView(listing);
  const { filter } = listing.view;
  return (
    <span role="group" aria-label="Filter" className="flex items-center gap-1 pe-1">
      {FILTERS.map(({ filter: each, name, icon: Icon }) => (
        <button
          key={each}
          type="button"
          aria-label={name}
          title={name}
          aria-pressed={filter === each}
          onClick={() => change({ filter: filter === each ? null : each })}
          className={classes(
            'inline-flex size-8 items-center justify-center gap-1.5 rounded-full text-xs font-medium transition-colors duration-75 sm:size-7 @2xl:h-7 @2xl:w-auto @2xl:px-2.5',
            filter === each
              ? 'bg-info-soft text-accent'
              : 'text-muted hover:bg-hover hover:text-text @2xl:border @2xl:border-line',
          )}
        >
          <Icon />
          <span className="hidden @2xl:inline">{name}</span>
        </button>
      ))}
    </span>
  );
}
