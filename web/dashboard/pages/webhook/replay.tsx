import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { WebhookReplay } from '../../../../src/contract/dashboard/webhooks.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { useMay } from '../../shell/session.ts';
import { allOfWebhook, failedQuery, type WebhookRouteKey, webhookQuery } from '../webhooks/queries.ts';
import { counted } from './counted.ts';
import { number } from '../../../ui/amounts.ts';

const HOUR_MS = 3_600_000;
const CHOICES = {
  hour: ['From the last hour', HOUR_MS],
  day: ['From the last 24 hours', 24 * HOUR_MS],
  week: ['From the last 7 days', 168 * HOUR_MS],
  time: ['Since a specific time', null],
  all: ['All failed deliveries', null],
} as const;
type Choice = keyof typeof CHOICES;

/** Asks for the start time and shows the number of deliveries that would be replayed. */
export function ReplayDialog({ of: key, onClose }: { of: WebhookRouteKey; onClose(): void }) {
  const [openedAt] = useState(Date.now);
  const [choice, setChoice] = useState<Choice>('day');
  const [time, setTime] = useState('');
  const since = sinceOf(choice, time, openedAt);
  const { data: failed } = useQuery({ ...failedQuery(key, since ?? null), enabled: since !== undefined });
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/projects/{project}/webhooks/{id}/replay', {
          params: { path: { ...key } },
          body: { since: since ?? null },
        }),
      ),
    onSuccess() {
      onClose();
      return queries.invalidateQueries({ queryKey: allOfWebhook(key) });
    },
  });
  const isReady = since !== undefined && failed !== undefined && failed.count > 0;
  return (
    <Dialog
      isOpen
      onClose={onClose}
      onSubmit={() => isReady && replay.mutate()}
      title="Replay failed deliveries"
      description="Failed deliveries are sent again a few at a time, oldest first, alongside new events. Successful deliveries are never replayed."
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" disabled={!isReady} isBusy={replay.isPending}>
            Replay
          </Button>
        </>
      }
    >
      <fieldset className="grid gap-2.5">
        <legend className="mb-2 font-medium">Which deliveries</legend>
        {(Object.keys(CHOICES) as Choice[]).map((each) => (
          <Checkbox
            key={each}
            isRadio
            name="since"
            label={CHOICES[each][0]}
            checked={choice === each}
            onChange={() => setChoice(each)}
          />
        ))}
      </fieldset>
      {choice === 'time' && (
        <Field label="Since" className="mt-3">
          <Input type="datetime-local" value={time} onChange={(change) => setTime(change.target.value)} />
        </Field>
      )}
      <p role="status" className="mt-4 min-h-6 font-medium">
        {since !== undefined && failed !== undefined && sentence(failed)}
      </p>
    </Dialog>
  );
}

/** The start time of the replay. Null to replay all deliveries; undefined until the user has entered a time. */
function sinceOf(choice: Choice, time: string, nowMs: number): string | null | undefined {
  if (choice === 'all') return null;
  if (choice === 'time') {
    const ms = Date.parse(time);
    return Number.isNaN(ms) ? undefined : new Date(ms).toISOString();
  }
  return new Date(nowMs - CHOICES[choice][1]).toISOString();
}

function sentence(failed: { count: number; has_more: boolean }): string {
  return failed.count === 0 ? 'No failed deliveries to replay.' : `${counted(failed)} will be sent again.`;
}

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
