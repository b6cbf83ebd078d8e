import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { SessionList } from '../../../../account/session-list.tsx';
import { dataOf, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import type { MailSessions } from '../../../../../src/contract/mail/account.ts';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { SkeletonRows } from '../../../../ui/skeleton.tsx';
import { Time } from '../../../../ui/time.tsx';
import { toast } from '../../../../ui/toast.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { sessionsQuery } from './queries.ts';

/** The refresh interval. The service writes sessions of mail apps to the database every few seconds. */
const REFRESH_MS = 5_000;
const SHOWN_SIGN_INS = 10;

const DOORS = { imap: 'IMAP', pop3: 'POP3', submission: 'Sending (SMTP)', web: 'Web client' } as const;

export function Sessions() {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const query = sessionsQuery(mailbox);
  const { data, error } = useQuery({ ...query, refetchInterval: REFRESH_MS });
  const onSettled = () => queries.invalidateQueries({ queryKey: query.queryKey });
  const end = useMutation({
    mutationFn: (id: string) =>
      dataOf(api.DELETE('/mailboxes/{mailbox}/sessions/{id}', { params: { path: { mailbox, id } } })),
    onSuccess: () => toast('Session ended'),
    onSettled,
  });
  const endOthers = useMutation({
    mutationFn: () => dataOf(api.DELETE('/mailboxes/{mailbox}/sessions', { params: { path: { mailbox } } })),
    onSuccess: () => toast('All other sessions will end within two seconds'),
    onSettled,
  });
  const { browsers = [], apps = [], sign_ins: signIns = [] } = data ?? {};
  return (
    <Card
      title="Sessions"
      aside={
        browsers.length + apps.length > 1 && (
          <Button isBusy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out of all other sessions
          </Button>
        )
      }
    >
      {data === undefined && error === null && <SkeletonRows count={2} />}
      {error !== null && <p className="text-bad">{messageOf(error)}</p>}
      <SessionList
        sessions={browsers}
        ending={end.isPending ? end.variables : undefined}
        onEnd={(id) => end.mutate(id)}
      />
      {apps.length > 0 && <Openings title="Mail apps" openings={apps} />}
      {signIns.length > 0 && <Openings title="Last sign-ins" openings={signIns.slice(0, SHOWN_SIGN_INS)} />}
    </Card>
  );
}

type Opening = MailSessions['apps'][number] | MailSessions['sign_ins'][number];

function Openings({ title, openings }: { title: string; openings: readonly Opening[] }) {
  return (
    <section className="mt-3 border-t border-line pt-3">
      <h3 className="font-medium">{title}</h3>
      <ul aria-label={title} className="divide-y divide-line">
        {openings.map((opening) => (
          <li key={JSON.stringify(opening)} className="py-2">
            <p>
              {DOORS[opening.door]} <span className="text-muted">from</span>{' '}
              <span className="wrap-anywhere">{opening.address}</span>
            </p>
            <p className="text-sm text-muted">
              {credential(opening)}
              {', '}
              {'since' in opening ? (
                <>
                  opened <Time value={opening.since} />
                </>
              ) : (
                <Time value={opening.signed_in_at} />
              )}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function credential({ door, app_password: app }: Opening): string {
  if (door === 'web') return 'In a browser';
  if (app === null) return 'Password';
  return app === '' ? 'A revoked app password' : `App password ${app}`;
}
