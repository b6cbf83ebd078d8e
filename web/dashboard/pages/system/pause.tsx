/** Pauses the whole queue. Restoring a backup also pauses the queue. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SystemQueue } from '../../../../src/contract/dashboard/system.ts';
import { Button } from '../../../ui/button.tsx';
import { AlertDialog, Dialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { QUEUE } from './queries.ts';
import { recipients } from './words.ts';

export function PauseButton() {
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const pause = useMutation({
    mutationFn: () => dataOf(api.POST('/system/queue/pause')),
    async onSuccess() {
      await queries.invalidateQueries({ queryKey: QUEUE });
      setAsking(false);
    },
  });
  return (
    <>
      <Button className="sm:ml-auto" onClick={() => setAsking(true)}>
        Pause sending
      </Button>
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Pause all sending?"
        action="Pause sending"
        isBusy={pause.isPending}
        onConfirm={() => pause.mutate()}
      >
        <p>
          Emails of all projects will be accepted and queued, and no webhooks will be called, until you resume
          sending. Deliveries in progress will finish.
        </p>
      </AlertDialog>
    </>
  );
}

type Paused = NonNullable<SystemQueue['paused']>;

export function PausedNotice({ paused }: { paused: Paused }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <div className="mb-5 flex flex-wrap items-center gap-2.5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
      <WarningIcon />
      <span className="mr-auto">
        Sending was paused <Time value={paused.since} />
        {paused.because === 'restored' && ', when a backup was restored'}. Emails are accepted but not sent.
      </span>
      <Button onClick={() => setAsking(true)}>Resume sending</Button>
      {isAsking && <ResumeDialog onClose={() => setAsking(false)} />}
    </div>
  );
}

function ResumeDialog({ onClose }: { onClose(): void }) {
  const queries = useQueryClient();
  const [isWithdrawing, setWithdrawing] = useState(false);
  const [withdrawn, setWithdrawn] = useState(0);
  const resume = useMutation({
    meta: { showsErrors: true },
    async mutationFn() {
      let all = 0;
      for (let isDone = !isWithdrawing; !isDone; ) {
        const part = await dataOf(api.POST('/system/queue/withdraw'));
        isDone = part.is_done;
        all += part.withdrawn;
        setWithdrawn(all);
      }
      await dataOf(api.POST('/system/queue/resume'));
      return all;
    },
    async onSuccess(all) {
      await queries.invalidateQueries({ queryKey: QUEUE });
      toast(all === 0 ? 'Sending resumed' : `Sending resumed. ${recipients(all)} withdrawn`);
      onClose();
    },
  });
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Resume sending"
      description="All queued mail will be sent, and webhooks will be called again."
      onSubmit={() => resume.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={resume.isPending}>
            Resume sending
          </Button>
        </>
      }
    >
      <div className="grid gap-3">
        <Checkbox
          checked={isWithdrawing}
          disabled={resume.isPending}
          onChange={(change) => setWithdrawing(change.target.checked)}
          label="Withdraw mail accepted before the pause"
          hint="After restoring a backup, this mail may already have been sent. Each recipient fails with reason “withdrawn”, so that senders can decide whether to send again."
        />
        {resume.isPending && withdrawn > 0 && (
          <p role="status" className="text-muted">
            {recipients(withdrawn)} withdrawn so far.
          </p>
        )}
        {resume.error && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(resume.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
