import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { WebhookReplay } from '../../../../src/contract/dashboard/webhooks.ts';
import { number } from '../../../ui/amounts.ts';
import { Button } from '../../../ui/button.tsx';
import { Time } from '../../../ui/time.tsx';
import { useMay } from '../../shell/session.ts';
import { type WebhookRouteKey, webhookQuery } from '../webhooks/queries.ts';
import { counted } from './counted.ts';

/** The progress of the latest replay. */
export function ReplayProgress({ of: key, replay }: { of: WebhookRouteKey; replay: WebhookReplay }) {
  const mayChange = useMay('developer');
  const queries = useQueryClient();
  const stop = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/webhooks/{id}/replay', { params: { path: { ...key } } })),
    onSuccess: () => queries.invalidateQueries({ queryKey: webhookQuery(key).queryKey }),
  });
  const { total, has_more, replayed, ended_at, ended_by } = replay;
  if (ended_at !== null) {
    const ends = {
      done: 'Replayed',
      stopped: 'Stopped after replaying',
      disabled: 'Paused after replaying',
    } as const;
    return (
      <p role="status" className="mb-3 text-sm text-muted">
        {ends[ended_by ?? 'done']}{' '}
        {counted({ count: replayed, has_more: false }, 'failed delivery', 'failed deliveries')}{' '}
        <Time value={ended_at} />.
      </p>
    );
  }
  return (
    <Progress
      name="Replay"
      done={replayed}
      total={total}
      stop={
        mayChange && (
          <Button isBusy={stop.isPending} onClick={() => stop.mutate()}>
            Stop replay
          </Button>
        )
      }
    >
      Replaying: {number(replayed)} of {counted({ count: total, has_more })}
    </Progress>
  );
}

interface ProgressProps {
  name: string;
  done: number;
  total: number;
  /** The button that stops the work. */
  stop: ReactNode;
  children: ReactNode;
}

/** The progress of work in the background. */
export function Progress({ name, done, total, stop, children }: ProgressProps) {
  return (
    <div className="mb-4 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border border-line bg-panel px-4 py-3">
      <div className="min-w-48 flex-1">
        <p role="status" className="mb-1.5">
          {children}
        </p>
        <progress
          aria-label={name}
          value={done}
          max={Math.max(total, done)}
          className="block h-1.5 w-full appearance-none overflow-hidden rounded-full bg-quiet-soft accent-fill [&::-moz-progress-bar]:bg-fill [&::-webkit-progress-bar]:bg-quiet-soft [&::-webkit-progress-value]:bg-fill"
        />
      </div>
      {stop}
    </div>
  );
}
