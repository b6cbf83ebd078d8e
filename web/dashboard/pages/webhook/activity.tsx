import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { number, percentage } from '../../../ui/amounts.ts';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import type { DashboardWebhookDetail } from '../../../../src/contract/dashboard/webhooks.ts';
import { useSearchParam } from '../../../ui/search-params.ts';
import { ActivityBars, totals } from '../webhooks/activity-bars.tsx';
import { activityQuery, type Span, type WebhookRouteKey } from '../webhooks/queries.ts';

const SPANS: readonly { value: Span; label: string }[] = [
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
  { value: '30d', label: '30 days' },
];
const REFRESH_MS = 30_000;

/** The results of the webhook's delivery attempts. */
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
      <dl className="mt-4 grid shrink-0 grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
        <Figure name="Delivered">{sums === null ? '–' : number(sums.delivered)}</Figure>
        <Figure name="Failed" isBad={sums !== null && sums.failed > 0}>
          {sums === null ? '–' : number(sums.failed)}
          {sums !== null && sums.failed > 0 && ` (${percentage(sums.failed / attempts)})`}
          {sums !== null && sums.failed > 0 && (
            <>
              <DeliveriesLink status="failed" />
              {webhook.waiting.count > 0 && <DeliveriesLink status="pending" />}
            </>
          )}
        </Figure>
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

/**
 * The number of failed attempts is no link itself, because a delivery has several attempts. Such a delivery may be much older than the
 * attempt, or may be tried again.
 */
function DeliveriesLink({ status }: { status: 'failed' | 'pending' }) {
  return (
    <Link
      to="."
      search={(before) => ({ ...before, status, type: undefined, time: undefined })}
      hash="deliveries"
      className="block text-sm font-normal text-accent hover:underline"
    >
      Show {status} deliveries
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
