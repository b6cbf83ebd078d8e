import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';
import { enterDashboard } from '../../shell/enter.ts';
import { LinkPage } from '../../shell/link-page.tsx';
import { NewPasswordField } from '../../../account/new-password-field.tsx';

export default function WelcomePage() {
  return (
    <LinkPage title="Welcome" purpose="welcome">
      {(_link, token) => <Welcome token={token} />}
    </LinkPage>
  );
}

function Welcome({ token }: { token: string }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [organization, setOrganization] = useState('');
  const body = {
    token,
    name,
    email,
    password,
    ...(organization.trim() !== '' && { organization: organization.trim() }),
  };
  const become = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => dataOf(api.POST('/links/welcome', { body })),
    onSuccess: () => enterDashboard(),
  });
  const errors = fieldErrors(become.error);
  return (
    <SignInFrame
      title="Welcome"
      description="Your account will be the first owner of the organization and the operator of this installation."
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          become.mutate();
        }}
      >
        <Field label="Name" error={errors['name']}>
          <Input
            name="name"
            autoComplete="name"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        <Field label="Email" error={errors['email']}>
          <Input
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <NewPasswordField value={password} onChange={setPassword} error={errors['password']} />
        <Field
          label="Organization"
          hint="Optional. Your company or team. You can rename it later."
          error={errors['organization']}
        >
          <Input
            name="organization"
            autoComplete="organization"
            value={organization}
            onChange={(event) => setOrganization(event.target.value)}
          />
        </Field>
        {become.error && Object.keys(errors).length === 0 && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(become.error)}
          </p>
        )}
        <Button type="submit" kind="primary" isBusy={become.isPending} className="w-full">
          Create account
        </Button>
      </form>
    </SignInFrame>
  );
}
