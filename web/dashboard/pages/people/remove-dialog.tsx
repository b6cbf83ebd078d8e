import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MemberKeyList } from '../../../../src/contract/dashboard/api-keys.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Checkbox } from '../../../ui/field.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useSession } from '../../shell/session.ts';
import type { MemberDialogProps } from './member-dialog.ts';
import { useOrganization } from './queries.ts';

export function RemoveDialog({ member, onChanged, onClose }: MemberDialogProps) {
  const { id: organization, name } = useOrganization();
  const { user, projects } = useSession();
  const own = projects.filter((project) => project.organization_id === organization).length;
  const isSelf = member.user_id === user.id;
  const [revokesKeys, setRevokesKeys] = useState(false);
  const { data: keys } = useQuery({
    queryKey: ['member-keys', organization, member.user_id],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/organizations/{organization}/users/{id}/api-keys', {
          params: { path: { organization, id: member.user_id } },
          signal,
        }),
      ),
  });
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/organizations/{organization}/users/{id}', {
          params: {
            path: { organization, id: member.user_id },
            query: { keys: revokesKeys ? 'revoke' : 'keep' },
          },
        }),
      ),
    async onSuccess() {
      if (isSelf) return location.assign('/dashboard');
      await onChanged();
      toast(`${member.name} removed`);
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
        {isSelf ? 'You lose' : `${member.email} loses`} access to {own}{' '}
        {own === 1 ? 'project with all its data' : 'projects with all their data'} within two seconds.
      </p>
      <p>
        {isSelf ? 'If you belong' : 'If they belong'} to no other organization, the account is deleted with
        its passkeys and sessions. {isSelf ? 'Your' : 'Their'} entries in the audit log stay.
      </p>
      {keys !== undefined && keys.data.length > 0 && (
        <CreatedKeys keys={keys.data} revokes={revokesKeys} onChange={setRevokesKeys} />
      )}
      {refusal !== undefined && (
        <p role="alert" className="text-bad">
          {member.name} {refusal}
        </p>
      )}
    </AlertDialog>
  );
}

interface CreatedKeysProps {
  keys: MemberKeyList['data'];
  revokes: boolean;
  onChange(revokes: boolean): void;
}

/** The API keys that the member created. The keys keep working unless the user revokes them. */
function CreatedKeys({ keys, revokes, onChange }: CreatedKeysProps) {
  const isOne = keys.length === 1;
  return (
    <div className="grid gap-2 rounded-md border border-line bg-panel p-3">
      <ul aria-label="API keys created by this member" className="grid max-h-40 gap-1.5 overflow-y-auto">
        {keys.map((key) => (
          <li key={key.id} className="text-sm wrap-anywhere">
            <span className="font-medium text-text">{key.name}</span> in {key.project_name}, last used{' '}
            {key.last_used_at === null ? 'never' : <Time value={key.last_used_at} />}
          </li>
        ))}
      </ul>
      <Checkbox
        label={isOne ? 'Also revoke this API key' : `Also revoke these ${keys.length} API keys`}
        hint={
          isOne
            ? 'Applications that use it will lose access within two seconds. Otherwise it keeps working.'
            : 'Applications that use them will lose access within two seconds. Otherwise they keep working.'
        }
        checked={revokes}
        onChange={(event) => onChange(event.target.checked)}
      />
    </div>
  );
}
