import type { Metrics, MetricsSeries } from '../../../../src/contract/dashboard/metrics.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import type { Counted } from '../emails/query-text.ts';

/** The dimensions that can be filtered, with their names. */
export const FILTERS = { domain: 'Domain', provider: 'Provider', stream: 'Stream', tag: 'Tag' } as const;
export type FilterName = keyof typeof FILTERS;

/** The values to which the page is limited. */
export type MetricsFilter = Readonly<Partial<Record<FilterName, string>>>;

/** The filter in the URL. */
export function useFilter(): MetricsFilter {
  const [domain] = useSearchParam('domain');
  const [provider] = useSearchParam('provider');
  const [stream] = useSearchParam('stream');
  const [tag] = useSearchParam('tag');
  const filter = { domain, provider, stream, tag };
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ''));
}

/** What the numbers of a series count. Null for the rest of the domains or tags, which no search finds. */
export function countedIn(
  { tag, ...filter }: MetricsFilter,
  by: Metrics['by'],
  { name, is_rest: isRest }: Pick<MetricsSeries, 'name' | 'is_rest'>,
): Counted | null {
  const tags = tag === undefined ? [] : [tag];
  if (by === 'all') return { ...filter, tags };
  if (by === 'tag') return isRest ? null : { ...filter, tags: [...new Set([...tags, name])] };
  if (isRest && by !== 'provider') return null;
  return { ...filter, tags, [by]: isRest ? 'other' : name };
}

/** Why the number of a series that `countedIn` does not find is no link. */
export const UNNAMED = 'No search finds these emails, because the number combines all other groups.';

/** The filter that limits the page to a series. Null if there is none. */
export function filterOf(
  by: Metrics['by'],
  { name, is_rest: isRest }: Pick<MetricsSeries, 'name' | 'is_rest'>,
): { name: FilterName; value: string } | null {
  if (by === 'all' || (isRest && by !== 'provider') || (!isRest && name === '')) return null;
  return { name: by, value: isRest ? 'other' : name };
}
