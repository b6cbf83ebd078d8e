import { useMutation } from '@tanstack/react-query';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSession } from '../../shell/session.ts';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';

export function RemoveDialog({ member, onChanged, onClose }: MemberDialogProps) {
  const { id: organization, name } = useOrganization();
  const { user, projects } = useSession();
  const own = projects.filter((project) => project.organization_id === organization).length;
  const isSelf = member.user_id === user.id;
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/organizations/{organization}/users/{id}', {
          params: { path: { organization, id: member.user_id } },
        }),
      ),
    async onSuccess() {
      if (isSelf) return location.assign('/dashboard');
      await onChanged();
      toast(`${member.name} is removed`);
      onClose();
    },
  });
  const refusal = fieldErrors(remove.error)['user'];
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={isSelf ? `Leave ${name}?` : `Remove ${member.name} from ${name}?`}
      action={isSelf ? 'Leave' : 'Remove'}
      isBusy={remove.isPending}
      onConfirm={() => remove.mutate()}
    >
      <p>
        {isSelf ? 'You open' : `${member.email} opens`} nothing of it any more within two seconds: {own}{' '}
        {own === 1 ? 'project with all that it has' : 'projects with all that they have'}.
      </p>
      <p>
        {isSelf ? 'If you belong' : 'If they belong'} to no other organisation, the account is deleted, with
        its passkeys and sessions. API keys that {isSelf ? 'you' : 'they'} made go on working, and what{' '}
        {isSelf ? 'you' : 'they'} did stays in the audit log.
      </p>
      {refusal !== undefined && (
        <p role="alert" className="text-bad">
          {member.name} {refusal}
        </p>
      )}
    </AlertDialog>
  );
}
