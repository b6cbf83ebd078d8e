import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiProblem, fieldErrors, messageOf } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import { toast } from '../ui/toast.tsx';
import { NewPasswordField, UsernameField } from './new-password-field.tsx';

interface PasswordCardProps {
  /** The user name that password managers store with the new password. */
  username: string;
  change(body: { current_password: string; password: string }): Promise<unknown>;
  /** Text about the effects of changing the password. */
  children: ReactNode;
}

/** The user's password, with a dialog to change it. */
export function PasswordCard({ children, ...props }: PasswordCardProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Card title="Password" aside={<Button onClick={() => setOpen(true)}>Change password</Button>}>
      <p className="text-pretty text-muted">{children}</p>
      {isOpen && <ChangePassword {...props} onClose={() => setOpen(false)} />}
    </Card>
  );
}

interface ChangePasswordProps extends Omit<PasswordCardProps, 'children'> {
  onClose(): void;
}

function ChangePassword({ username, change: send, onClose }: ChangePasswordProps) {
  const [current, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => send({ current_password: current, password }),
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
        <UsernameField email={username} />
        <Field label="Current password" error={isWrong ? 'The password is wrong.' : null}>
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
