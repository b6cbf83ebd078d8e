import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import { answerWithPasskey } from '../../api/passkeys.ts';
import type { Account, ConfirmSession } from '../../api/schema.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Input } from '../../ui/field.tsx';
import { accountQuery } from './account-query.ts';
import { goToProvider } from './openid.ts';
import { confirmation } from './state.ts';

/** Before keys, secrets and people are changed: who sits there, again, and then what was asked for goes on. */
export default function ConfirmDialog({ settle }: { settle(isConfirmed: boolean): void }) {
  const finish = (isConfirmed: boolean) => {
    settle(isConfirmed);
    confirmation.set(null);
  };
  return <Question onFinish={finish} />;
}

type Way = Account['confirms_by'][number];

const OTHERS: Readonly<Record<Way, string>> = {
  password: 'Use your password',
  code: 'Use a code of your app',
  passkey: 'Use a passkey',
  openid: 'Sign in at your provider again',
};

function Question({ onFinish }: { onFinish(isConfirmed: boolean): void }) {
  const { data: account } = useQuery(accountQuery);
  // Nearly everybody has a password: it does not wait for the answer.
  const ways = account?.confirms_by ?? ['password'];
  const [chosen, setChosen] = useState<'password' | 'code' | null>(null);
  const [text, setText] = useState('');
  const typed = chosen ?? (ways.includes('password') ? 'password' : ways.includes('code') ? 'code' : null);
  const meta = { showsErrors: true };
  const confirm = useMutation({
    meta,
    mutationFn: (body: ConfirmSession) => dataOf(api.POST('/session/confirmation', { body })),
    onSuccess: () => onFinish(true),
  });
  const usePasskey = useMutation({
    meta,
    async mutationFn() {
      const question = await dataOf(api.POST('/session/confirmation/passkey-question'));
      const body = { passkey: await answerWithPasskey(question) };
      return dataOf(api.POST('/session/confirmation', { body }));
    },
    onSuccess: () => onFinish(true),
  });
  const useProvider = useMutation({
    meta,
    mutationFn: () =>
      dataOf(
        api.POST('/session/confirmation/openid/start', {
          body: { return_to: location.pathname + location.search },
        }),
      ),
    onSuccess: (started) => goToProvider(started, 'confirmation'),
  });
  const choose = (way: Way) => {
    if (way === 'passkey') usePasskey.mutate();
    else if (way === 'openid') useProvider.mutate();
    else {
      confirm.reset();
      setText('');
      setChosen(way);
    }
  };
  const otherError = usePasskey.error ?? useProvider.error;
  return (
    <Dialog
      isOpen
      onClose={() => onFinish(false)}
      title="Is it you?"
      description={`What comes next opens doors${typed === 'password' ? ', so enter your password again' : ''}. You are not asked for the next ten minutes.`}
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
            <Button
              key={way}
              isBusy={
                (way === 'passkey' && usePasskey.isPending) || (way === 'openid' && useProvider.isPending)
              }
              onClick={() => choose(way)}
            >
              {OTHERS[way]}
            </Button>
          ))}
        {otherError && (
          <p role="alert" className="text-sm text-bad">
            {messageOf(otherError)}
          </p>
        )}
      </div>
    </Dialog>
  );
}
