import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { Account } from '../../../../src/contract/dashboard/factors.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastFailure } from '../../../ui/toast.tsx';
import { accountQuery } from '../../shell/session.ts';

export function Identities({ identities }: Pick<Account, 'identities'>) {
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<Account['identities'][number] | null>(null);
  const forget = useMutation({
    meta: { showsErrors: true },
    mutationFn: (id: string) => dataOf(api.DELETE('/user/identities/{id}', { params: { path: { id } } })),
    onError: (error) => toastFailure(fieldErrors(error)['id'] ?? messageOf(error)),
    async onSettled() {
      setLeaving(null);
      await queries.invalidateQueries({ queryKey: accountQuery.queryKey });
    },
  });
  return (
    <Card title="Linked accounts">
      <ul className="divide-y divide-line" aria-label="Linked accounts">
        {identities.map((identity) => (
          <li key={identity.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
            <div className="min-w-0 flex-1 basis-52">
              <p className="font-medium wrap-anywhere">{new URL(identity.issuer).host}</p>
              <p className="text-sm text-muted">
                {identity.email}, last used <Time value={identity.last_used_at} />
              </p>
            </div>
            <Button kind="quiet" onClick={() => setLeaving(identity)}>
              Unlink
            </Button>
          </li>
        ))}
      </ul>
      <AlertDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Unlink this account?"
        action="Unlink"
        isBusy={forget.isPending}
        onConfirm={() => leaving !== null && forget.mutate(leaving.id)}
      >
        <p>
          You can no longer sign in with this account, unless it has the same email address as your account
          here. Then the next sign-in links it again.
        </p>
      </AlertDialog>
    </Card>
  );
}
