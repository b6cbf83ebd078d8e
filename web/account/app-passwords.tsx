import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { messageOf } from '../api/client.ts';
import type { AppPassword, AppPasswordList } from '../../src/contract/dashboard/mailboxes.ts';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Card } from '../ui/card.tsx';
import { AlertDialog } from '../ui/dialog.tsx';
import { SkeletonRows } from '../ui/skeleton.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toast.tsx';
import type { AppPasswordCalls } from './calls.ts';
import { NewAppPassword } from './new-app-password.tsx';

interface AppPasswordsProps {
  /** The address of the mailbox, which is the user name in mail apps. */
  address: string;
  list: { data: AppPasswordList | undefined; error: Error | null };
  /** Null if the list is read-only. */
  calls: AppPasswordCalls | null;
  /** The text that explains app passwords. */
  children: ReactNode;
}

/** The app passwords of a mailbox, for its owner and its administrators. */
export function AppPasswords({ address, list: { data, error }, calls, children }: AppPasswordsProps) {
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<AppPassword | null>(null);
  const passwords = data?.data;
  return (
    <Card
      title="App passwords"
      aside={calls !== null && <Button onClick={() => setCreating(true)}>Create app password</Button>}
    >
      <p className="text-pretty text-muted">{children}</p>
      {error !== null && <p className="mt-2 text-bad">{messageOf(error)}</p>}
      {passwords === undefined && error === null && <SkeletonRows count={2} />}
      {passwords?.length === 0 && <p className="mt-2">No app passwords yet.</p>}
      <ul aria-label="App passwords" className="divide-y divide-line">
        {passwords?.map((password) => (
          <li key={password.id} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2.5">
            <div className="min-w-0 flex-1 basis-48">
              <p className="flex flex-wrap items-center gap-2 font-medium wrap-anywhere">
                {password.name}
                {password.access === 'read' && <Badge>Read only</Badge>}
              </p>
              <p className="text-sm text-muted">
                Created <Time value={password.created_at} />, last used{' '}
                <Time value={password.last_used_at} never="never" />
              </p>
            </div>
            {calls !== null && (
              <Button
                kind="quiet"
                aria-label={`Revoke ${password.name}`}
                onClick={() => setRevoked(password)}
              >
                Revoke
              </Button>
            )}
          </li>
        ))}
      </ul>
      {isCreating && calls !== null && (
        <NewAppPassword address={address} calls={calls} onClose={() => setCreating(false)} />
      )}
      {revoked !== null && calls !== null && (
        <Revoke password={revoked} calls={calls} onClose={() => setRevoked(null)} />
      )}
    </Card>
  );
}

interface RevokeProps {
  password: AppPassword;
  calls: AppPasswordCalls;
  onClose(): void;
}

function Revoke({ password, calls, onClose }: RevokeProps) {
  const revoke = useMutation({
    mutationFn: () => calls.revoke(password.id),
    onSuccess: () => toast(`${password.name} revoked`),
    onSettled: async () => {
      await calls.settle();
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
        The app that uses it is signed out within two seconds and cannot sign in again. It was last used{' '}
        <Time value={password.last_used_at} never="never" />.
      </p>
    </AlertDialog>
  );
}
