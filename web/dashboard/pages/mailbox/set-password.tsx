import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { toast } from '../../../ui/toast.tsx';
import { type ChosenPassword, PasswordChoice } from '../mailboxes/password-choice.tsx';
import { PasswordShown } from '../../../account/password-shown.tsx';
import { allOfMailbox } from '../mailboxes/queries.ts';
import type { MailboxPartProps } from './part-props.ts';

export function SetPassword({ of: key, mailbox, onClose }: MailboxPartProps & { onClose(): void }) {
  const [password, setPassword] = useState<ChosenPassword>(null);
  const queries = useQueryClient();
  const set = useMutation({
    mutationFn: () =>
      dataOf(
        api.PUT('/projects/{project}/mailboxes/{id}/password', {
          params: { path: { ...key } },
          body: password === null ? {} : { password },
        }),
      ),
    async onSuccess({ password: generated }) {
      await queries.invalidateQueries({ queryKey: allOfMailbox(key) });
      if (generated !== null) return;
      toast('Password set. Sessions with the old one end within two seconds');
      onClose();
    },
  });
  const generated = set.data?.password ?? null;
  if (generated !== null) {
    return (
      <Dialog
        isOpen
        isSticky
        onClose={onClose}
        title="New password"
        description={`Give it to the owner of ${mailbox.address}.`}
        actions={
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <PasswordShown password={generated} />
      </Dialog>
    );
  }
  return (
    <Dialog
      isOpen
      isBusy={set.isPending}
      onClose={onClose}
      onSubmit={() => set.mutate()}
      title="Set password"
      description="Mail apps that use the old password will be signed out within two seconds on all devices. App passwords keep working."
      actions={
        <>
          <Button disabled={set.isPending} onClick={onClose}>
            Cancel
          </Button>
          <Button kind="primary" type="submit" isBusy={set.isPending}>
            Set password
          </Button>
        </>
      }
    >
      <PasswordChoice value={password} onChange={setPassword} error={fieldErrors(set.error)['password']} />
    </Dialog>
  );
}
