import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SignInAnswer, SignInLink } from '../../../../src/contract/dashboard/users.ts';
import { Button } from '../../../ui/button.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';
import { enterDashboard } from '../../shell/enter.ts';
import { LinkPage } from '../../shell/link-page.tsx';
import { NewPasswordField, UsernameField } from '../../../account/new-password-field.tsx';
import { SecondStep } from '../../shell/second-step.tsx';

export default function ResetPage() {
  return (
    <LinkPage title="New password" purpose="reset">
      {(link, token) => <Reset link={link} token={token} />}
    </LinkPage>
  );
}

function Reset({ link, token }: { link: SignInLink; token: string }) {
  const [password, setPassword] = useState('');
  const [answer, setAnswer] = useState<SignInAnswer | null>(null);
  const reset = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => dataOf(api.POST('/links/reset', { body: { token, password } })),
    onSuccess: (given) => (given.next === 'done' ? enterDashboard() : setAnswer(given)),
  });
  const { error } = reset;
  if (answer !== null)
    return (
      <SecondStep
        answer={answer}
        onEntered={() => enterDashboard()}
        onRestart={() => location.assign('/dashboard/sign-in')}
      />
    );
  return (
    <SignInFrame
      title="New password"
      description={`For ${link.email}. Setting it signs you out everywhere else.`}
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          reset.mutate();
        }}
      >
        <UsernameField email={link.email ?? ''} />
        <NewPasswordField
          label="New password"
          value={password}
          onChange={setPassword}
          error={error && (fieldErrors(error)['password'] ?? messageOf(error))}
        />
        <Button type="submit" kind="primary" isBusy={reset.isPending} className="w-full">
          Set password
        </Button>
      </form>
    </SignInFrame>
  );
}
