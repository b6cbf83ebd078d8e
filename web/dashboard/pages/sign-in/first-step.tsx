import { useMutation, useQuery } from '@tanstack/react-query';
import type { FirstStepCalls } from '../../../account/calls.ts';
import { SignInForm } from '../../../account/sign-in-form.tsx';
import { ApiProblem, dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SignInAnswer } from '../../../../src/contract/dashboard/users.ts';
import { Button } from '../../../ui/button.tsx';
import { goToProvider } from '../../shell/openid.ts';
import { waysQuery } from './ways.ts';

const CALLS: FirstStepCalls<SignInAnswer> = {
  provePassword: (email, password) => dataOf(api.POST('/session', { body: { email, password } })),
  askPasskey: () => dataOf(api.POST('/session/passkey-question', { body: {} })),
  provePasskey: (body) => dataOf(api.POST('/session/passkey', { body })),
};

export interface FirstStepProps {
  email: string;
  setEmail(email: string): void;
  returnTo: string;
  onForgotten(): void;
  onAnswer(answer: SignInAnswer): void;
}

export function FirstStep({ email, setEmail, returnTo, onForgotten, onAnswer }: FirstStepProps) {
  return (
    <SignInForm
      title="Sign in"
      footer={
        <button type="button" className="font-medium text-accent hover:underline" onClick={onForgotten}>
          Forgot your password?
        </button>
      }
      field={{ name: 'email', label: 'Email' }}
      value={email}
      onChange={setEmail}
      calls={CALLS}
      onAnswer={onAnswer}
      refusalOf={refusal}
    >
      <Provider returnTo={returnTo} />
    </SignInForm>
  );
}

function Provider({ returnTo }: { returnTo: string }) {
  const { data: ways } = useQuery(waysQuery);
  const start = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => dataOf(api.POST('/session/openid/start', { body: { return_to: returnTo } })),
    onSuccess: (started) => goToProvider(started, 'sign-in'),
  });
  if (!ways?.openid) return null;
  return (
    <>
      <Button className="w-full" isBusy={start.isPending} onClick={() => start.mutate()}>
        Sign in with {ways.openid.name}
      </Button>
      {start.error && (
        <p role="alert" className="text-sm text-bad">
          {messageOf(start.error)}
        </p>
      )}
    </>
  );
}

function refusal(error: Error): string {
  if (error instanceof ApiProblem && error.hasFields) return 'Enter your email address and password.';
  return messageOf(error);
}
