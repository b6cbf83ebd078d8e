/** Retries of all pending deliveries of a webhook. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { DashboardWebhookDetail, WebhookRetry } from '../../../../src/contract/dashboard/webhooks.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { Time } from '../../../ui/time.tsx';
import { useMay } from '../../shell/session.ts';
import { allOfWebhook, type WebhookRouteKey, webhookQuery } from '../webhooks/queries.ts';
import { counted } from './counted.ts';
import { Progress } from './replay.tsx';

/** A retry that ended longer ago is not shown when the page is opened. */
const SHOWN_MS = 86_400_000;

/** The mutation that tries all pending deliveries. Null if the user may not, or if there is nothing to try. */
export function useRetryPending(key: WebhookRouteKey, { enabled, retryable, retry }: DashboardWebhookDetail) {
  const mayChange = useMay('developer');
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/projects/{project}/webhooks/{id}/retry', { params: { path: { ...key } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: allOfWebhook(key) }),
  });
  const isRunning = retry !== null && retry.ended_at === null;
  return mayChange && enabled && retryable.count > 0 && !isRunning ? start : null;
}

/** The progress of the latest retry. */
export function RetryProgress({ of: key, retry }: { of: WebhookRouteKey; retry: WebhookRetry }) {
  const [openedAt] = useState(Date.now);
  const mayChange = useMay('developer');
  const queries = useQueryClient();
  const stop = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/webhooks/{id}/retry', { params: { path: { ...key } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: webhookQuery(key).queryKey }),
  });
  const { total, has_more, retried, ended_at } = retry;
  if (ended_at !== null) {
    if (total === 0 || openedAt - Date.parse(ended_at) > SHOWN_MS) return null;
    return (
      <p
        role="status"
        className={classes('mb-3 text-sm', retry.ended_by === 'failing' ? 'text-warn' : 'text-muted')}
      >
        {END_WORDS[retry.ended_by ?? 'done']} {pending(retried)} <Time value={ended_at} />.
        {retry.ended_by === 'failing' &&
          ' Your endpoint failed again, so the others wait for their next attempt. Fix it, check it with Send test, then try again.'}
      </p>
    );
  }
  return (
    <Progress
      name="Pending deliveries"
      done={retried}
      total={total}
      stop={
        mayChange && (
          <Button isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop
          </Button>
        )
      }
    >
      Trying pending deliveries: {number(retried)} of {counted({ count: total, has_more })}. The next ones
      follow when one has succeeded.
    </Progress>
  );
}

const END_WORDS = {
  done: 'Tried',
  stopped: 'Stopped after trying',
  disabled: 'Paused after trying',
  failing: 'Stopped after trying',
} as const;

function pending(count: number): string {
  return counted({ count, has_more: false }, 'pending delivery', 'pending deliveries');
}
