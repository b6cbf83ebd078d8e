import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { answerWithPasskey } from '../../../api/passkeys.ts';
import type { SignInAnswer } from '../../../../src/contract/dashboard/users.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { Door } from '../../../ui/door.tsx';
import { goToProvider } from '../../shell/openid.ts';
import { waysQuery } from './ways.ts';

export interface FirstStepProps {
  email: string;
  setEmail(email: string): void;
  returnTo: string;
  onForgotten(): void;
  onAnswer(answer: SignInAnswer): void;
}

export function FirstStep({ email, setEmail, returnTo, onForgotten, onAnswer }: FirstStepProps) {
  const [password, setPassword] = useState('');
  const { data: ways } = useQuery(waysQuery);
  const meta = { showsErrors: true };
  const signIn = useMutation({
    meta,
    mutationFn: () => dataOf(api.POST('/session', { body: { email, password } })),
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
  const useProvider = useMutation({
    meta,
    mutationFn: () => dataOf(api.POST('/session/openid/start', { body: { return_to: returnTo } })),
    onSuccess: (started) => goToProvider(started, 'sign-in'),
  });
  const otherError = usePasskey.error ?? useProvider.error;
  return (
    <Door
      title="Sign in"
      footer={
        <button type="button" className="font-medium text-accent hover:underline" onClick={onForgotten}>
          Forgot your password?
        </button>
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
        <Field label="Email">
          <Input
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
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
      <div className="grid gap-2">
        <Button className="w-full" isBusy={usePasskey.isPending} onClick={() => usePasskey.mutate()}>
          Use a passkey
        </Button>
        {ways?.openid && (
          <Button className="w-full" isBusy={useProvider.isPending} onClick={() => useProvider.mutate()}>
            Sign in with {ways.openid.name}
          </Button>
        )}
        {otherError && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(otherError)}
          </p>
        )}
      </div>
    </Door>
  );
}

function refusal(error: Error): string {
  if (error instanceof ApiProblem && error.hasFields) return 'Enter your email address and your password.';
  return messageOf(error);
}
