import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { number, percentage } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { countLink } from '../../../ui/count-link.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import type { DashboardWebhookDetail, DeliveryCount } from '../../../../src/contract/dashboard/webhooks.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { ActivityBars, totals } from '../webhooks/activity-bars.tsx';
import { activityQuery, type Span, type WebhookRouteKey } from '../webhooks/queries.ts';

const SPANS: readonly { value: Span; label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];
const REFRESH_MS = 30_000;

const STATUSES = ['delivered', 'failed', 'pending'] as const;

/** The results of the webhook's delivery attempts, and the deliveries of the events in the same time. */
export function Activity({ of: key, webhook }: { of: WebhookRouteKey; webhook: DashboardWebhookDetail }) {
  const [requestedSpan, setSpan] = useSearchParam('span');
  const span: Span = requestedSpan === '7d' || requestedSpan === '30d' ? requestedSpan : '24h';
  const { data } = useQuery({ ...activityQuery(key, span), refetchInterval: REFRESH_MS });
  const sums = data === undefined ? null : totals(data);
  const attempts = sums === null ? 0 : sums.delivered + sums.failed;
  return (
    <Card
      title="Attempts"
      className="flex min-w-0 flex-col"
      aside={
        <Segmented
          label="Time"
          value={span}
          options={SPANS}
          onChange={(value) => setSpan(value === '24h' ? '' : value)}
        />
      }
    >
      {data === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : (
        <ActivityBars
          activity={data}
          span={SPANS.find(({ value }) => value === span)?.label ?? span}
          className="h-24 min-h-24 flex-1"
        />
      )}
      <p className="mt-2 text-sm text-muted">
        {sums === null || attempts === 0
          ? 'No attempts.'
          : sums.failed === 0
            ? 'All attempts succeeded.'
            : `${percentage(sums.failed / attempts)} of the attempts failed.`}{' '}
        Deliveries of the events in this time:
      </p>
      <dl className="mt-2 grid shrink-0 grid-cols-3 gap-x-6 gap-y-3 sm:grid-cols-5">
        {STATUSES.map((status) => (
          <Figure
            key={status}
            name={`${status[0]?.toUpperCase()}${status.slice(1)}`}
            isBad={status === 'failed' && (data?.deliveries.failed.count ?? 0) > 0}
          >
            {data === undefined ? (
              '–'
            ) : (
              <DeliveriesLink status={status} since={data.since} count={data.deliveries[status]} />
            )}
          </Figure>
        ))}
        <Figure name="Last success">
          <Time value={webhook.last_success_at} />
        </Figure>
        <Figure name="Last failure">
          <Time value={webhook.last_failure_at} />
        </Figure>
      </dl>
    </Card>
  );
}

interface DeliveriesLinkProps {
  status: (typeof STATUSES)[number];
  /** The start of the time range. */
  since: string;
  count: DeliveryCount;
}

/** A number that leads to the deliveries that it counts, in the list below. */
function DeliveriesLink({ status, since, count: { count, has_more } }: DeliveriesLinkProps) {
  const text = `${number(count)}${has_more ? '+' : ''}`;
  if (count === 0 && !has_more) return text;
  return (
    <Link
      to="."
      search={(before) => ({ ...before, status, type: undefined, time: since })}
      hash="deliveries"
      aria-label={`${text} ${status}: show these deliveries`}
      className={countLink}
    >
      {text}
    </Link>
  );
}

function Figure({ name, isBad = false, children }: { name: string; isBad?: boolean; children: ReactNode }) {
  return (
    <div>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className={classes('font-medium tabular-nums', isBad && 'text-bad')}>{children}</dd>
    </div>
  );
}
