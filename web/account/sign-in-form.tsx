import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { answerWithPasskey } from '../api/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { SignInFrame } from '../ui/sign-in-frame.tsx';
import { Field, Input } from '../ui/field.tsx';
import type { FirstStepCalls } from './calls.ts';

interface SignInFormProps<Answer> {
  title: string;
  /** Other ways to sign in, below the form. */
  footer: ReactNode;
  /** The field for the user name: its name and label. */
  field: { name: string; label: string };
  value: string;
  onChange(value: string): void;
  calls: FirstStepCalls<Answer>;
  onAnswer(answer: Answer): void | Promise<void>;
  /** The message for a failed sign-in. */
  refusalOf(error: Error): string;
  /** Further buttons, below the button for passkeys. */
  children?: ReactNode;
}

/** The first step of a sign-in: a password or a passkey. */
export function SignInForm<Answer>(props: SignInFormProps<Answer>) {
  const { title, footer, field, value, onChange, calls, onAnswer, refusalOf, children } = props;
  const [password, setPassword] = useState('');
  const meta = { showsErrors: true };
  const signIn = useMutation({
    meta,
    mutationFn: () => calls.provePassword(value, password),
    onSuccess: onAnswer,
  });
  const usePasskey = useMutation({
    meta,
    mutationFn: async () => calls.provePasskey(await answerWithPasskey(await calls.askPasskey())),
    onSuccess: onAnswer,
  });
  return (
    <SignInFrame title={title} footer={footer}>
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate();
        }}
      >
        <Field label={field.label}>
          <Input
            type="email"
            name={field.name}
            autoComplete="username"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        </Field>
        <Field label="Password" error={signIn.error && refusalOf(signIn.error)}>
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
        {usePasskey.error && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(usePasskey.error)}
          </p>
        )}
        {children}
      </div>
    </SignInFrame>
  );
}
