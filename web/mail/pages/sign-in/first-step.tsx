import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailAccount } from '../../../api/mail-schema.ts';
import { Button } from '../../../ui/button.tsx';
import { Door } from '../../../ui/door.tsx';
import { Field, Input } from '../../../ui/field.tsx';

export interface FirstStepProps {
  address: string;
  setAddress(address: string): void;
  onEntered(account: MailAccount): void;
}

export function FirstStep({ address, setAddress, onEntered }: FirstStepProps) {
  const [password, setPassword] = useState('');
  const signIn = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => dataOf(api.POST('/session', { body: { address, password } })),
    onSuccess: ({ account }) => account !== undefined && onEntered(account),
  });
  return (
    <Door title="Sign in" description="To your mail.">
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <Field label="Address">
          <Input
            type="email"
            name="address"
            autoComplete="username"
            value={address}
            onChange={(event) => setAddress(event.target.value)}
          />
        </Field>
        <Field label="Password" error={signIn.error && refusal(signIn.error)}>
          <Input
            type="password"
            name="password"
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" isBusy={signIn.isPending} className="mt-1 w-full">
          Sign in
        </Button>
      </form>
    </Door>
  );
}

function refusal(error: Error): string {
  if (error instanceof ApiProblem && error.hasFields)
    return address(error) ?? 'Enter your address and your password.';
  return messageOf(error);
}

/** That there are too many, which is no fault of what was typed. */
function address({ errors }: ApiProblem): string | undefined {
  return errors['address']?.startsWith('this browser') === true
    ? `T${errors['address'].slice(1)}.`
    : undefined;
}
