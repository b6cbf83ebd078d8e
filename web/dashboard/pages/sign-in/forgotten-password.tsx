import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { SignInFrame } from '../../../ui/sign-in-frame.tsx';
import { waysQuery } from './ways.ts';

export function ForgottenPassword({ email: typed, onBack }: { email: string; onBack(): void }) {
  const [email, setEmail] = useState(typed);
  const { data: ways } = useQuery(waysQuery);
  const ask = useMutation({
    meta: { showsErrors: true },
    mutationFn: () => dataOf(api.POST('/links/reset-request', { body: { email } })),
  });
  const footer = (
    <button type="button" className="font-medium text-accent hover:underline" onClick={onBack}>
      Back to sign in
    </button>
  );
  if (ask.isSuccess)
    return (
      <SignInFrame title="Check your email" footer={footer}>
        <p className="text-pretty" role="status">
          If <strong className="font-medium wrap-anywhere">{email}</strong> has an account here, we sent it a
          link for setting a new password. It works once, within 24 hours.
        </p>
        {ways?.sends_mail === false && <SandboxHint />}
      </SignInFrame>
    );
  return (
    <SignInFrame
      title="Forgot your password?"
      description="We’ll email you a link for setting a new password. Your second factor is still required."
      footer={footer}
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate();
        }}
      >
        <Field label="Email" error={ask.error && messageOf(ask.error)}>
          <Input
            ref={focusOn}
            type="email"
            name="email"
            autoComplete="username"
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Button type="submit" kind="primary" isBusy={ask.isPending} className="w-full">
          Send link
        </Button>
      </form>
    </SignInFrame>
  );
}

function SandboxHint() {
  return (
    <p className="mt-3 text-sm text-pretty text-muted">
      This is a sandbox: only its own mailboxes receive mail. On the server,{' '}
      <code className="font-mono">npm run -s posthorn -- user reset --email …</code> prints the link.
    </p>
  );
}

function focusOn(field: HTMLInputElement | null): void {
  field?.focus();
}
