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
          ? `Mail apps sign in with the full address and this password.`
          : 'No password set: only app passwords give access.'}
      </p>
      {isAdmin && (
        <>
          <div className="mt-3 flex flex-wrap gap-2">
            <Button onClick={() => setSetting(true)}>Change password</Button>
            <Button isBusy={unlock.isPending} onClick={() => unlock.mutate()}>
              Clear failed sign-ins
            </Button>
          </div>
          <p className="mt-3 text-sm text-muted">
            After 20 wrong passwords an app must wait before it can try again. Clearing failed sign-ins lets
            the owner sign in immediately from anywhere.
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
      toast('Second factor turned off');
      await queries.invalidateQueries({ queryKey: allOfMailbox(key) });
    },
    onSettled: () => setAsking(false),
  });
  return (
    <Card title="Second factor">
      <p className="text-muted">
        Turned on <Time value={mailbox.second_factor_since} />: mail apps need app passwords.
      </p>
      {isAdmin && (
        <Button className="mt-3" onClick={() => setAsking(true)}>
          Turn off
        </Button>
      )}
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title="Turn off the second factor?"
        action="Turn off"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>
          After that, the password alone gives access to {mailbox.address}, including in mail apps. Do this
          only if the owner lost the second factor, and make sure that the request really comes from the
          owner.
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
      Create one for each mail app. If a phone is lost, revoke only its password. App passwords do not work in
      the web client.
    </AppPasswords>
  );
}
