import { useMutation, useQueryClient } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { WarningIcon } from '../../../ui/icons.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { allMailboxes, type MailboxRouteKey } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';

const REASONS = {
  refused: 'other servers rejected most of its mail',
  complained: 'too many recipients reported its mail as spam',
} as const;

/** Clears failed sign-ins and lets the mailbox send again. */
export function useUnlock(key: MailboxRouteKey) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () =>
      dataOf(api.POST('/projects/{project}/mailboxes/{id}/unlock', { params: { path: { ...key } } })),
    async onSuccess({ was_locked_for_sending: wasLocked }) {
      toast(wasLocked ? 'Mailbox unlocked' : 'Failed sign-ins cleared');
      await queries.invalidateQueries({ queryKey: allMailboxes(key.project) });
    },
  });
}

/** Explains why a mailbox cannot send and how to unlock the mailbox. Also warns if the mailbox's storage is full. */
export function LockNotice({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  const unlock = useUnlock(key);
  const { sending_lock: lock, full_since: fullSince } = mailbox;
  return (
    <>
      {lock !== null && (
        <div className="mb-5 flex flex-wrap items-start gap-x-4 gap-y-3 rounded-lg bg-warn-soft px-4 py-3 text-warn">
          <WarningIcon className="mt-[3px]" />
          <div className="min-w-0 flex-1 basis-72">
            <p className="font-medium">
              Sending locked <Time value={lock.locked_at} />: {REASONS[lock.reason]}.
            </p>
            <p>
              The password may have leaked. Set a new password, or correct the recipient addresses, then
              unlock the mailbox. It still receives mail. After the unlock, earlier mail no longer counts
              against it.
            </p>
          </div>
          {isAdmin && (
            <Button isBusy={unlock.isPending} onClick={() => unlock.mutate()}>
              Unlock
            </Button>
          )}
        </div>
      )}
      {fullSince !== null && (
        <p className="mb-5 flex items-start gap-2.5 rounded-lg bg-warn-soft px-4 py-3 text-warn">
          <WarningIcon className="mt-[3px]" />
          <span>
            The mailbox is full. It started rejecting messages <Time value={fullSince} />. Raise its quota, or
            ask its owner to delete mail. Mail in Trash and Junk counts toward the quota too.
          </span>
        </p>
      )}
    </>
  );
}
