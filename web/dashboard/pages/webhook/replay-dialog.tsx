import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Checkbox, Field, Input } from '../../../ui/field.tsx';
import { allOfWebhook, failedQuery, type WebhookRouteKey } from '../webhooks/queries.ts';
import { counted } from './counted.ts';

const HOUR_MS = 3_600_000;
const CHOICES = {
  hour: ['From the last hour', HOUR_MS],
  day: ['From the last 24 hours', 24 * HOUR_MS],
  week: ['From the last 7 days', 168 * HOUR_MS],
  time: ['Since a specific time', null],
  all: ['All failed deliveries', null],
} as const;
type Choice = keyof typeof CHOICES;

/** Asks for the start time of a replay and shows the number of deliveries that would be replayed. */
export default function ReplayDialog({ of: key, onClose }: { of: WebhookRouteKey; onClose(): void }) {
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
