import { useMutation, useQueryClient, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useMay } from '../../shell/session.ts';
import { allOfMailbox, appPasswordsQuery, type MailboxRouteKey } from '../mailboxes/queries.ts';
import { useUnlock } from './lock-notice.tsx';
import type { MailboxPartProps } from './part-props.ts';
import { SetPassword } from './set-password.tsx';
import { SignIns } from './sign-ins.tsx';
import { AppPasswords } from '../../../account/app-passwords.tsx';
import type { AppPasswordCalls } from '../../../account/calls.ts';

/** The passwords and the second factor of the mailbox. */
export default function Access({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-4 xl:grid-cols-2">
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        <Password of={key} mailbox={mailbox} />
        <MailboxAppPasswords of={key} address={mailbox.address} />
        {mailbox.second_factor_since !== null && <SecondFactor of={key} mailbox={mailbox} />}
      </div>
      {isAdmin && <SignIns of={key} address={mailbox.address} />}
    </div>
  );
}

function Password({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  const [isSetting, setSetting] = useState(false);
  const unlock = useUnlock(key);
  return (
    <Card title="Password">
      <p className="text-muted">
        {mailbox.has_password
          ? `Mail apps sign in with the whole address and this password.`
          : 'It has none: only app passwords open it.'}
      </p>
      {isAdmin && (
        <>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={() => setSetting(true)}>Set another password</Button>
            <Button isBusy={unlock.isPending} onClick={() => unlock.mutate()}>
              Forgive wrong passwords
            </Button>
          </div>
          <p className="mt-3 text-sm text-muted">
            After 20 wrong ones an app is told to try again later. Forgiven, its owner can sign in at once
            from anywhere.
          </p>
        </>
      )}
      {isSetting && <SetPassword of={key} mailbox={mailbox} onClose={() => setSetting(false)} />}
    </Card>
  );
}

function SecondFactor({ of: key, mailbox }: MailboxPartProps) {
  const isAdmin = useMay('admin');
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/second-factor', { params: { path: { ...key } } }),
      ),
    async onSuccess() {
      toast('The second factor is off');
      await queries.invalidateQueries({ queryKey: allOfMailbox(key) });
    },
    onSettled: () => setAsking(false),
  });
  return (
    <Card title="Second factor">
      <p className="text-muted">
        Switched on <Time value={mailbox.second_factor_since} />: mail apps need app passwords.
      </p>
      {isAdmin && (
        <Button className="mt-3" onClick={() => setAsking(true)}>
          Switch off
        </Button>
      )}
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Switch off the second factor?"
        action="Switch off"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>
          From then on the password alone opens {mailbox.address}, in mail apps too. Do it for an owner who
          has lost the second factor, and be sure that it is them who asks.
        </p>
      </AlertDialog>
    </Card>
  );
}

function MailboxAppPasswords({ of: key, address }: { of: MailboxRouteKey; address: string }) {
  const isAdmin = useMay('admin');
  const queries = useQueryClient();
  const calls: AppPasswordCalls = {
    create: (body) =>
      dataOf(
        api.POST('/projects/{project}/mailboxes/{id}/app-passwords', { params: { path: { ...key } }, body }),
      ),
    revoke: (part) =>
      dataOf(
        api.DELETE('/projects/{project}/mailboxes/{id}/app-passwords/{part}', {
          params: { path: { ...key, part } },
        }),
      ),
    settle: () => queries.invalidateQueries({ queryKey: appPasswordsQuery(key).queryKey }),
  };
  return (
    <AppPasswords address={address} list={useQuery(appPasswordsQuery(key))} calls={isAdmin ? calls : null}>
      For one mail app each, so that a lost phone is shut out alone. They never open the web client.
    </AppPasswords>
  );
}
