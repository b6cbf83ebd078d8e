import { useMutation } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';

export function SecondFactorDialog({ member, onChanged, onClose }: MemberDialogProps) {
  const { id: organization } = useOrganization();
  const reset = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/organizations/{organization}/users/{id}/second-factor', {
          params: { path: { organization, id: member.user_id } },
        }),
      ),
    async onSuccess() {
      await onChanged();
      toast(`The second factor of ${member.name} is off`);
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Switch off the second factor of ${member.name}?`}
      action="Switch off"
      isBusy={reset.isPending}
      onConfirm={() => reset.mutate()}
    >
      <p>
        The authenticator app, all passkeys and all recovery codes of {member.email} stop working. The
        password alone opens the account then, until they set up another one.
      </p>
      <p>
        Be sure that it is {member.name} who asks for it: call them. They are told by mail, and it is in the
        audit log.
      </p>
    </AlertDialog>
  );
}
