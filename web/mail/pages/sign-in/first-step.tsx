import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailSignInAnswer } from '../../../../src/contract/mail/session.ts';
import { answerWithPasskey } from '../../../api/passkeys.ts';
import { Button } from '../../../ui/button.tsx';
import { Door } from '../../../ui/door.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { accountsQuery } from '../../shell/session.ts';

export interface FirstStepProps {
  address: string;
  setAddress(address: string): void;
  onAnswer(answer: MailSignInAnswer): Promise<void>;
}

export function FirstStep({ address, setAddress, onAnswer }: FirstStepProps) {
  const [password, setPassword] = useState('');
  const [first] = useQuery(accountsQuery).data ?? [];
  const meta = { showsErrors: true };
  const signIn = useMutation({
    meta,
    mutationFn: () => dataOf(api.POST('/session', { body: { address, password } })),
    onSuccess: onAnswer,
  });
  const usePasskey = useMutation({
    meta,
    async mutationFn() {
      const question = await dataOf(api.POST('/session/passkey-question', { body: {} }));
      return dataOf(api.POST('/session/passkey', { body: await answerWithPasskey(question) }));
    },
    onSuccess: onAnswer,
  });
  return (
    <Door
      title="Sign in"
      description="To your mail."
      footer={
        first === undefined ? (
          'Whoever made your mailbox can set another password.'
        ) : (
          <Link
            to="/$address/$folder"
            params={{ address: first.address, folder: 'inbox' }}
            className="font-medium text-accent hover:underline"
          >
            Back to {first.address}
          </Link>
        )
      }
    >
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
      <p className="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        or
      </p>
      <Button className="w-full" isBusy={usePasskey.isPending} onClick={() => usePasskey.mutate()}>
        Use a passkey
      </Button>
      {usePasskey.error && (
        <p role="alert" className="mt-2 text-sm text-bad">
          {messageOf(usePasskey.error)}
        </p>
      )}
    </Door>
  );
}

const TOO_MANY = /^this browser is signed in/;

function refusal(error: Error): string {
  if (!(error instanceof ApiProblem) || !error.hasFields) return messageOf(error);
  const { address = '' } = error.errors;
  return TOO_MANY.test(address)
    ? 'This browser is signed in to ten mailboxes already. Sign out of one first.'
    : 'Enter your address and your password.';
}
