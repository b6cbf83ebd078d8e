import { useNavigate } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { Button } from '../../../ui/button.tsx';
import { CloseIcon, PlusIcon } from '../../../ui/icons.tsx';
import { FILTERS, type FilterName, type MetricsFilter } from './filter.ts';
import type { MetricsQuery } from './queries.ts';

const FilterDialog = lazyPart(async () => ({ default: (await import('./filter-dialog.tsx')).FilterDialog }));

/** Sets a filter of the page; an empty value removes it. Going back restores the previous filter. */
function useSetFilter() {
  const navigate = useNavigate();
  return (filter: Readonly<Partial<Record<FilterName, string>>>) =>
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) =>
        Object.fromEntries(Object.entries({ ...before, ...filter }).filter(([, value]) => value !== '')),
    });
}

/** The filters of the page, each with a button that removes it, and a button that adds one. */
export function FilterBar({
  filter,
  range,
}: {
  filter: MetricsFilter;
  range: NonNullable<MetricsQuery['range']>;
}) {
  const [isOpen, setOpen] = useState(false);
  const set = useSetFilter();
  const active = (Object.keys(FILTERS) as FilterName[]).filter((name) => filter[name] !== undefined);
  return (
    <div className="mb-4 flex flex-wrap gap-2">
      {active.map((name) => (
        <Button
          key={name}
          className="max-w-full border-accent text-accent"
          aria-label={`Remove filter ${FILTERS[name]}: ${filter[name]}`}
          onClick={() => set({ [name]: '' })}
        >
          <span className="truncate">
            {FILTERS[name]}: {filter[name]}
          </span>
          <CloseIcon />
        </Button>
      ))}
      <Button icon={<PlusIcon />} onClick={() => setOpen(true)}>
        Filter
      </Button>
      {isOpen && (
        <Suspense fallback={null}>
          <FilterDialog
            filter={filter}
            range={range}
            onClose={() => setOpen(false)}
            onApply={(next) => {
              setOpen(false);
              set(next);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
