import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { NewPasswordField, UsernameField } from '../../../../account/new-password-field.tsx';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { Field, Input } from '../../../../ui/field.tsx';
import { toast } from '../../../../ui/toast.tsx';
import { useMailbox } from '../../../shell/session.ts';

export function PasswordCard() {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Password" aside={<Button onClick={() => setOpen(true)}>Change password</Button>}>
      <p className="text-pretty text-muted">
        When you change it, you are signed out everywhere else, and mail apps that have the old one ask for
        the new one. App passwords go on working.
      </p>
      {isOpen && <ChangePassword onClose={() => setOpen(false)} />}
    </Card>
  );
}

function ChangePassword({ onClose }: { onClose(): void }) {
  const { mailbox, address } = useMailbox();
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      dataOf(
        api.PUT('/mailboxes/{mailbox}/password', {
          params: { path: { mailbox } },
          body: { current_password: current, password },
        }),
      ),
    onSuccess() {
      toast('Password changed');
      onClose();
    },
  });
  const { error } = change;
  const isWrong = error instanceof ApiProblem && error.slug === 'sign-in-refused';
  const ofNew = fieldErrors(error)['password'] ?? (error && !isWrong ? messageOf(error) : null);
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Change password"
      onSubmit={() => change.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="primary" isBusy={change.isPending}>
            Change
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <UsernameField email={address} />
        <Field label="Current password" error={isWrong ? 'It is not your password.' : null}>
          <Input
            type="password"
            autoComplete="current-password"
            value={current}
            onChange={(event) => setCurrent(event.target.value)}
          />
        </Field>
        <NewPasswordField label="New password" value={password} onChange={setPassword} error={ofNew} />
      </div>
    </Dialog>
  );
}
