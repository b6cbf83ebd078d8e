import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { SignInLink } from '../../../../src/contract/dashboard/users.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';
import { enterDashboard } from '../../shell/enter.ts';
import { LinkPage } from '../../shell/link-page.tsx';
import { NewPasswordField, UsernameField } from '../../../account/new-password-field.tsx';

export default function InvitationPage() {
  return (
    <LinkPage title="Invitation" purpose="invitation">
      {(link, token) => <Invitation link={link} token={token} />}
    </LinkPage>
  );
}

function Invitation({ link, token }: { link: SignInLink; token: string }) {
  const {
    email,
    organization,
    invited_by: by,
    role,
    has_account: hasAccount,
    awaits_confirmation: awaits,
  } = link;
  const article = role === 'owner' || role === 'admin' ? 'an' : 'a';
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const join = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      dataOf(api.POST('/links/invitation', { body: { token, ...(!hasAccount && { name, password }) } })),
    onSuccess({ next }) {
      if (next === 'done') enterDashboard();
    },
  });
  const errors = fieldErrors(join.error);
  return (
    <SignInFrame
      title={`Join ${organization}`}
      description={`${by ?? 'An operator'} invited ${email} as ${article} ${role}.${hasAccount ? ' You already have an account: sign in to it to join.' : ''}`}
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          join.mutate();
        }}
      >
        {!hasAccount && (
          <>
            <UsernameField email={email ?? ''} />
            <Field label="Name" error={errors['name']}>
              <Input
                name="name"
                autoComplete="name"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
            <NewPasswordField value={password} onChange={setPassword} error={errors['password']} />
          </>
        )}
        {join.error && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(join.error)}
          </p>
        )}
        {awaits && !join.isError && (
          <p role="status" className="text-sm text-warn">
            An owner of {organization} must confirm this invitation before you can join.
          </p>
        )}
        {join.data?.next === 'sign-in' && (
          <p role="alert" className="text-sm text-bad">
            You are not signed in as {email}.{' '}
            <a href="/dashboard/sign-in" target="_blank" rel="noreferrer" className="font-medium underline">
              Sign in in another tab
            </a>
            , then click Join again.
          </p>
        )}
        <Button type="submit" kind="primary" isBusy={join.isPending} className="w-full">
          {hasAccount ? 'Join' : 'Create account and join'}
        </Button>
      </form>
    </SignInFrame>
  );
}
