import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../api/client.ts';
import { answerWithPasskey } from '../api/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Field, Input } from '../ui/field.tsx';
import { SignInFrame } from '../ui/sign-in-frame.tsx';
import type { SecondStepCalls } from './calls.ts';

export interface SecondStepProps<Answer> {
  /** The ticket from the first step. */
  ticket: string;
  methods: readonly ('code' | 'passkey' | 'recovery-code')[];
  calls: SecondStepCalls<Answer>;
  onEntered(answer: Answer): void | Promise<void>;
  onRestart(): void;
}

/** The second step of a sign-in, after the password: a code from the app, a passkey, or a recovery code. */
export function SecondStep<Answer>({
  ticket,
  methods,
  calls,
  onEntered,
  onRestart,
}: SecondStepProps<Answer>) {
  const [isRecovering, setRecovering] = useState(false);
  const [code, setCode] = useState('');
  const hasCode = isRecovering || methods.includes('code');
  const meta = { showsErrors: true };
  const prove = useMutation({
    meta,
    mutationFn: () => calls.proveCode({ ticket, code }),
    onSuccess: onEntered,
  });
  const usePasskey = useMutation({
    meta,
    async mutationFn() {
      const answer = await answerWithPasskey(await calls.askPasskey(ticket));
      return calls.provePasskey({ ...answer, second_factor_ticket: ticket });
    },
    onSuccess: onEntered,
  });
  const others = [
    ...(methods.includes('passkey')
      ? [{ name: 'Use a passkey', isBusy: usePasskey.isPending, onClick: () => usePasskey.mutate() }]
      : []),
    ...(methods.includes('recovery-code') && !isRecovering
      ? [{ name: 'Use a recovery code', isBusy: false, onClick: () => setRecovering(true) }]
      : []),
  ];
  return (
    <SignInFrame
      title="Two-factor authentication"
      description={
        isRecovering
          ? 'Enter one of your recovery codes. It works once.'
          : methods.includes('code')
            ? 'Enter the current code from your authenticator app.'
            : 'Confirm with your passkey.'
      }
      footer={
        <button type="button" className="font-medium text-accent hover:underline" onClick={onRestart}>
          Use a different account
        </button>
      }
    >
      <form
        noValidate
        className="grid gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          prove.mutate();
        }}
      >
        {hasCode && (
          <>
            <Field
              label={isRecovering ? 'Recovery code' : 'Code'}
              error={prove.error && messageOf(prove.error)}
            >
              <Input
                key={String(isRecovering)}
                ref={focusOn}
                name="code"
                autoComplete={isRecovering ? 'off' : 'one-time-code'}
                inputMode={isRecovering ? 'text' : 'numeric'}
                autoCapitalize="none"
                spellCheck={false}
                maxLength={40}
                className="font-mono"
                value={code}
                onChange={(event) => setCode(event.target.value)}
              />
            </Field>
            <Button type="submit" kind="primary" isBusy={prove.isPending} className="w-full">
              Continue
            </Button>
          </>
        )}
        {others.map(({ name, ...rest }, at) => (
          <Button
            key={name}
            kind={!hasCode && at === 0 ? 'primary' : 'secondary'}
            className="w-full"
            {...rest}
          >
            {name}
          </Button>
        ))}
        {usePasskey.error && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(usePasskey.error)}
          </p>
        )}
      </form>
    </SignInFrame>
  );
}

function focusOn(field: HTMLInputElement | null): void {
  field?.focus();
}
