import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { AppPassword } from '../../../../api/mail-schema.ts';
import { Badge } from '../../../../ui/badge.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { AlertDialog } from '../../../../ui/dialog.tsx';
import { SkeletonRows } from '../../../../ui/skeleton.tsx';
import { Time } from '../../../../ui/time.tsx';
import { toast } from '../../../../ui/toast.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { CreateAppPassword } from './create-app-password.tsx';
import { appPasswordsQuery } from './queries.ts';

export function AppPasswords() {
  const { mailbox } = useMailbox();
  const { data, error } = useQuery(appPasswordsQuery(mailbox));
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<AppPassword | null>(null);
  const passwords = data?.data;
  return (
    <Card
      title="App passwords"
      aside={<Button onClick={() => setCreating(true)}>Create app password</Button>}
    >
      <p className="text-pretty text-muted">
        One for each mail app, so that a lost phone is shut out alone. They never open this web client.{' '}
        <a href="/mail/setup" className="font-medium text-accent hover:underline">
          How to set up a mail app
        </a>
      </p>
      {error !== null && <p className="mt-2 text-bad">{messageOf(error)}</p>}
      {passwords === undefined && error === null && <SkeletonRows count={2} />}
      <ul aria-label="App passwords" className="divide-y divide-line">
        {passwords?.map((password) => (
          <li key={password.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                {password.name}
                {password.access === 'read' && <Badge>Reads only</Badge>}
              </p>
              <p className="text-sm text-muted">
                Created <Time value={password.created_at} />, last used{' '}
                <Time value={password.last_used_at} never="never" />
              </p>
            </div>
            <Button kind="quiet" aria-label={`Revoke ${password.name}`} onClick={() => setRevoked(password)}>
              Revoke
            </Button>
          </li>
        ))}
      </ul>
      {isCreating && <CreateAppPassword onClose={() => setCreating(false)} />}
      {revoked !== null && <Revoke password={revoked} onClose={() => setRevoked(null)} />}
    </Card>
  );
}

function Revoke({ password, onClose }: { password: AppPassword; onClose(): void }) {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/app-passwords/{id}', {
          params: { path: { mailbox, id: password.id } },
        }),
      ),
    onSuccess: () => toast(`${password.name} is revoked`),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: appPasswordsQuery(mailbox).queryKey });
      onClose();
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title={`Revoke ${password.name}?`}
      action="Revoke"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate()}
    >
      <p>
        The app that uses it is signed out within two seconds and cannot come back. It was last used{' '}
        <Time value={password.last_used_at} never="never" />.
      </p>
    </AlertDialog>
  );
}
