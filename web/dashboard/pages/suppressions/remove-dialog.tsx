import { useMutation } from '@tanstack/react-query';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { counted } from '../../../ui/amounts.ts';

/** The maximum number of addresses per request. */
const MAX_REMOVED = 100;
const MAX_NAMED = 8;

interface RemoveDialogProps {
  project: string;
  addresses: readonly string[];
  onRemoved(): Promise<void>;
  onClose(): void;
}

export function RemoveDialog({ project, addresses, onRemoved, onClose }: RemoveDialogProps) {
  const [only = ''] = addresses;
  const isOne = addresses.length === 1;
  const what = isOne ? only : counted(addresses.length, 'address', 'addresses');
  const remove = useMutation({
    async mutationFn() {
      for (let at = 0; at < addresses.length; at += MAX_REMOVED)
        await dataOf(
          api.POST('/projects/{project}/suppressions/removal', {
            params: { path: { project } },
            body: { addresses: addresses.slice(at, at + MAX_REMOVED) },
          }),
        );
    },
    onSuccess: () => toast(`${what} removed`),
    onError: (error) => toastFailure(messageOf(error)),
    // The list is refreshed even after a failure, because some addresses may have been removed.
    async onSettled() {
      onClose();
      await onRemoved();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Remove ${what}?`}
      action="Remove"
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      {!isOne && (
        <p className="wrap-anywhere">
          {addresses.slice(0, MAX_NAMED).join(', ')}
          {addresses.length > MAX_NAMED && ` and ${addresses.length - MAX_NAMED} more`}
        </p>
      )}
      <p>
        Mail is sent to {isOne ? 'this address' : 'these addresses'} again from the next attempt on. If the
        mailbox still does not exist, the next bounce adds it again. Remove addresses that complained or
        unsubscribed only if the recipient asked for mail again: complaints hurt the reputation of all your
        mail.
      </p>
    </AlertDialog>
  );
}
