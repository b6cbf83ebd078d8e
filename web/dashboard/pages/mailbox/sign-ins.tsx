import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { dataOf, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { MailboxSignIns } from '../../../../src/contract/dashboard/mailboxes.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast } from '../../../ui/toast.tsx';
import { type MailboxRouteKey, signInsQuery } from '../mailboxes/queries.ts';

/** The service writes sessions to the database only every few seconds, so a shorter interval would show nothing new. */
const REFRESH_MS = 5_000;

const DOORS = { imap: 'IMAP', pop3: 'POP3', submission: 'Sending (SMTP)', web: 'Web client' } as const;

type Opening = Pick<MailboxSignIns['sessions'][number], 'door' | 'address' | 'app_password'>;

interface SignInsProps {
  of: MailboxRouteKey;
  address: string;
}

export function SignIns({ of: key, address }: SignInsProps) {
  const { data, error } = useQuery({ ...signInsQuery(key), refetchInterval: REFRESH_MS });
  const [isEnding, setEnding] = useState(false);
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/mailboxes/{id}/sessions', { params: { path: { ...key } } })),
    onSuccess: () => toast('All sessions will end within two seconds'),
    onSettled: async () => {
      setEnding(false);
      await queries.invalidateQueries({ queryKey: signInsQuery(key).queryKey });
    },
  });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Card title="Sessions" aside={<Button onClick={() => setEnding(true)}>End all sessions</Button>}>
        <p className="text-muted">Open sessions, as of a few seconds ago.</p>
        {error !== null && <p className="mt-2 text-bad">{messageOf(error)}</p>}
        {data === undefined && error === null && <SkeletonRows count={2} />}
        {data?.sessions.length === 0 && <p className="mt-2">No open sessions.</p>}
        <ul aria-label="Sessions" className="divide-y divide-line">
          {data?.sessions.map((session) => (
            <Line key={JSON.stringify(session)} opening={session}>
              {session.connections > 1 && `${session.connections} connections, the first `}opened{' '}
              <Time value={session.since} />
            </Line>
          ))}
        </ul>
      </Card>
      <Card title="Last sign-ins">
        <p className="text-muted">
          Sign-ins of the last 90 days. Repeated sign-ins within ten minutes are listed once.
        </p>
        {data?.sign_ins.length === 0 && <p className="mt-2">No sign-ins yet.</p>}
        <ul aria-label="Last sign-ins" className="max-h-96 divide-y divide-line overflow-y-auto">
          {data?.sign_ins.map((signIn) => (
            <Line key={`${signIn.door} ${signIn.address}`} opening={signIn}>
              <Time value={signIn.signed_in_at} />
            </Line>
          ))}
        </ul>
      </Card>
      <AlertDialog
        isOpen={isEnding}
        onClose={() => setEnding(false)}
        title={`End all sessions of ${address}?`}
        action="End all sessions"
        isBusy={end.isPending}
        onConfirm={() => end.mutate()}
      >
        <p>Everyone will be signed out of the mailbox within two seconds, on all devices.</p>
        <p>
          Mail apps sign in again automatically with a stored password. To lock someone out, change the
          password and revoke their app password.
        </p>
      </AlertDialog>
    </div>
  );
}

function Line({ opening, children }: { opening: Opening; children: ReactNode }) {
  const { door, address, app_password: app } = opening;
  return (
    <li className="py-2.5">
      <p className="font-medium">
        {DOORS[door]} <span className="font-normal text-muted">from</span>{' '}
        <span className="wrap-anywhere">{address}</span>
      </p>
      <p className="text-sm text-muted">
        {app === null ? 'Password' : app === '' ? 'A revoked app password' : `App password ${app}`},{' '}
        {children}
      </p>
    </li>
  );
}
