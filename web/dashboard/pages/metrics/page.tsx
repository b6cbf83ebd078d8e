import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { messageOf } from '../../../api/client.ts';
import { buttonClass } from '../../../ui/button.tsx';
import { EmptyState, Failure } from '../../../ui/empty-state.tsx';
import { Field, Select } from '../../../ui/field.tsx';
import { MetricsIcon } from '../../../ui/icons.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useProject } from '../../shell/session.ts';
import { Charts } from './charts.tsx';
import { useFilter } from './filter.ts';
import { FilterBar } from './filter-bar.tsx';
import { metricsQuery, type MetricsQuery } from './queries.ts';
import { Numbers } from './table.tsx';
import { Updated } from './updated.tsx';
import { stepText } from './words.ts';

const RANGES = [
  { value: '24h', label: '24 h' },
  { value: '7d', label: '7 d' },
  { value: '30d', label: '30 d' },
  { value: '90d', label: '90 d' },
  { value: '1y', label: '1 year' },
] as const;
const DIMENSIONS = [
  { value: 'all', label: 'All emails' },
  { value: 'domain', label: 'By domain' },
  { value: 'provider', label: 'By mailbox provider' },
  { value: 'stream', label: 'By stream' },
  { value: 'tag', label: 'By tag' },
] as const;
/** The refresh interval. A worker counts the newest hour every minute (docs/charts.md, Delay). */
const REFRESH_MS = 60_000;

/** The outcomes of the project's emails over time. */
export default function MetricsPage() {
  const project = useProject();
  const [askedRange, setRange] = useSearchParam('range');
  const [askedBy, setBy] = useSearchParam('by');
  const range = RANGES.find(({ value }) => value === askedRange)?.value ?? '7d';
  const by = DIMENSIONS.find(({ value }) => value === askedBy)?.value ?? 'all';
  const filter = useFilter();
  const isFiltered = Object.keys(filter).length > 0;
  const { data, error, refetch } = useQuery({
    ...metricsQuery(project.id, { range, by, ...(filter as MetricsQuery) }),
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <PageHeader
        title="Metrics"
        actions={
          <>
            <Field label="Compare" isLabelHidden>
              <Select value={by} onChange={({ target }) => setBy(target.value === 'all' ? '' : target.value)}>
                {DIMENSIONS.map(({ value, label }) => (
                  <option key={value} value={value}>
                    {label}
                  </option>
                ))}
              </Select>
            </Field>
            <Segmented
              label="Time"
              value={range}
              options={RANGES}
              onChange={(value) => setRange(value === '7d' ? '' : value)}
            />
          </>
        }
      />
      <FilterBar filter={filter} range={range} />
      {data === undefined && error === null && <Waiting />}
      {data === undefined && error !== null && (
        <Failure title="Could not load the metrics" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
      {data?.is_shortened === true && (
        <p role="status" className="mb-4 text-sm text-pretty text-muted">
          {data.steps[0] === undefined
            ? 'There are too many emails to count those of the filter. Choose a shorter time, or compare all emails instead.'
            : `Counted from ${stepText(data.steps[0], data.step_hours)} on. There are too many emails to count those of the filter before, or they are no longer stored.`}
        </p>
      )}
      {data !== undefined && data.all.total.recipients === 0 && isFiltered && !data.is_shortened && (
        <EmptyState icon={<MetricsIcon />} title="No matching emails in this period">
          Remove a filter, or choose a longer time.
        </EmptyState>
      )}
      {data !== undefined && data.all.total.recipients === 0 && !isFiltered && (
        <EmptyState
          icon={<MetricsIcon />}
          title="No emails in this period"
          action={
            <Link to="/" className={buttonClass()}>
              Send one
            </Link>
          }
        >
          Charts of volume, bounces, complaints, opens and delivery times appear with the first accepted
          email.
        </EmptyState>
      )}
      {data !== undefined && data.all.total.recipients > 0 && (
        <>
          <Charts metrics={data} filter={filter} />
          <Numbers metrics={data} filter={filter} />
          <p className="mt-4 text-sm text-pretty text-muted">
            <Updated {...data} /> Outcomes are counted at the time the email was accepted. All times are in
            UTC.
            {!data.is_complete && ' Older emails are still being counted.'}
          </p>
        </>
      )}
    </>
  );
}

function Waiting() {
  return (
    <div role="status" aria-label="Loading" className="grid gap-4 lg:grid-cols-2">
      <Skeleton className="h-96 lg:col-span-2" />
      <Skeleton className="h-80" />
      <Skeleton className="h-80" />
      <Skeleton className="h-80" />
      <Skeleton className="h-80" />
    </div>
  );
}
