import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
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
import { Numbers } from './table.tsx';
import { Updated } from './updated.tsx';

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
  const { data, error, refetch } = useQuery({
    queryKey: ['metrics', project.id, range, by],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/metrics', {
          params: { path: { project: project.id }, query: { range, by } },
          signal,
        }),
      ),
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
      {data === undefined && error === null && <Waiting />}
      {data === undefined && error !== null && (
        <Failure title="Could not load the metrics" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
      {data !== undefined && data.all.total.recipients === 0 && (
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
          <Charts metrics={data} />
          <Numbers metrics={data} />
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
