import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/client.ts';
import { answerWithPasskey } from '../api/passkeys.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, Input } from '../ui/field.tsx';
import type { ConfirmCalls } from './calls.ts';

type Way = 'password' | 'code' | 'passkey';

export interface ConfirmQuestionProps {
  ways: readonly Way[];
  calls: ConfirmCalls;
  onFinish(isConfirmed: boolean): void;
  /** Buttons for other ways to confirm. */
  children?: ReactNode;
}

const OTHERS: Readonly<Record<Way, string>> = {
  password: 'Use your password',
  code: 'Use a code from your app',
  passkey: 'Use a passkey',
};

/** Confirms the user's identity before a sensitive change. After the confirmation the pending call continues. */
export function ConfirmQuestion({ ways, calls, onFinish, children }: ConfirmQuestionProps) {
  const [chosen, setChosen] = useState<'password' | 'code' | null>(null);
  const [text, setText] = useState('');
  const typed = chosen ?? (ways.includes('password') ? 'password' : ways.includes('code') ? 'code' : null);
  const meta = { showsErrors: true };
  const confirm = useMutation({
    meta,
    mutationFn: calls.confirm,
    onSuccess: () => onFinish(true),
  });
  const usePasskey = useMutation({
    meta,
    async mutationFn() {
      return calls.confirm({ passkey: await answerWithPasskey(await calls.askPasskey()) });
    },
    onSuccess: () => onFinish(true),
  });
  const choose = (way: Way) => {
    if (way === 'passkey') usePasskey.mutate();
    else {
      confirm.reset();
      setText('');
      setChosen(way);
    }
  };
  return (
    <Dialog
      isOpen
      onClose={() => onFinish(false)}
      title="Confirm it’s you"
      description={`This action needs ${typed === 'password' ? 'your password' : 'confirmation'}. We won’t ask again for 10 minutes.`}
      onSubmit={() => {
        if (typed !== null) confirm.mutate(typed === 'password' ? { password: text } : { code: text });
      }}
      actions={
        <>
          <Button onClick={() => onFinish(false)}>Cancel</Button>
          {typed !== null && (
            <Button type="submit" kind="primary" isBusy={confirm.isPending}>
              Continue
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-3">
        {typed !== null && (
          <Field
            label={typed === 'password' ? 'Password' : 'Code'}
            error={confirm.error && messageOf(confirm.error)}
          >
            <Input
              key={typed}
              type={typed === 'password' ? 'password' : 'text'}
              inputMode={typed === 'password' ? 'text' : 'numeric'}
              autoComplete={typed === 'password' ? 'current-password' : 'one-time-code'}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          </Field>
        )}
        {ways
          .filter((way) => way !== typed)
          .map((way) => (
            <Button key={way} isBusy={way === 'passkey' && usePasskey.isPending} onClick={() => choose(way)}>
              {OTHERS[way]}
            </Button>
          ))}
        {children}
        {usePasskey.error && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(usePasskey.error)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
