import { useMutation } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { ApiKey } from '../../../../src/contract/dashboard/api-keys.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useProject } from '../../shell/session.ts';
import { accessOf } from './words.ts';

export interface RevokeDialogProps {
  apiKey: ApiKey;
  onRevoked(): Promise<void>;
  onClose(): void;
}

export function RevokeDialog({ apiKey, onRevoked, onClose }: RevokeDialogProps) {
  const { id: project } = useProject();
  const { id, name, last_used_at, scopes } = apiKey;
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/api-keys/{id}', { params: { path: { project, id } } })),
    async onSuccess() {
      await onRevoked();
      toast(`${name} revoked`);
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${name}?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        Applications that use this key lose API and SMTP access within two seconds.{' '}
        {scopes === null ? 'It has full access.' : `Its scopes are ${accessOf(apiKey)}.`} Emails already
        accepted will still be sent.
      </p>
      <p>
        {last_used_at === null ? (
          'It has never been used.'
        ) : (
          <>
            It was last used <Time value={last_used_at} />.
          </>
        )}{' '}
        This cannot be undone.
      </p>
    </AlertDialog>
  );
}
