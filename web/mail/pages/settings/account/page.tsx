import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { FactorCallsContext } from '../../../../account/calls.ts';
import { Passkeys } from '../../../../account/passkeys.tsx';
import { PasswordCard } from '../../../../account/password-card.tsx';
import { RecoveryCodes } from '../../../../account/recovery-codes.tsx';
import { SecondFactor } from '../../../../account/second-factor.tsx';
import { dataOf, messageOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { Failure } from '../../../../ui/empty-state.tsx';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../../ui/skeleton.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { OwnAppPasswords } from './app-passwords.tsx';
import { factorCallsOf } from './factor-calls.ts';
import { accountQuery } from './queries.ts';
import { Sessions } from './sessions.tsx';

export default function AccountPage() {
  const { mailbox, address } = useMailbox();
  const { data: account, error, refetch } = useQuery(accountQuery(mailbox));
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const calls = useMemo(() => factorCallsOf(mailbox), [mailbox]);
  const aliases = account?.aliases ?? [];
  return (
    <>
      <PageHeader
        title="Account"
        description={
          <>
            <span className="wrap-anywhere">{address}</span>
            {aliases.length > 0 && (
              <span className="wrap-anywhere">, and what is sent to {aliases.join(', ')}</span>
            )}
          </>
        }
      />
      {account === undefined && error === null && <SkeletonRows />}
      {account === undefined && error !== null && (
        <Failure title="The account cannot be shown" onRetry={() => void refetch()}>
          {messageOf(error)}
        </Failure>
      )}
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {account !== undefined && (
        <div className="grid grid-cols-1 gap-4">
          <PasswordCard
            username={address}
            change={(body) =>
              dataOf(api.PUT('/mailboxes/{mailbox}/password', { params: { path: { mailbox } }, body }))
            }
          >
            When you change it, you are signed out everywhere else, and mail apps that have the old one ask
            for the new one. App passwords go on working.
          </PasswordCard>
          <FactorCallsContext value={calls}>
            <Passkeys passkeys={account.passkeys} onCodes={setCodes} />
            <SecondFactor account={account} onCodes={setCodes}>
              <p className="border-t border-line pt-4 text-sm text-pretty text-muted">
                {account.authenticator_app || account.passkeys.length > 0
                  ? 'Mail apps cannot be asked for a second factor: your password does not open them any more. Make an app password for each below.'
                  : 'With a passkey or an app set up, mail apps need app passwords: your password alone opens nothing then.'}
              </p>
            </SecondFactor>
          </FactorCallsContext>
          <OwnAppPasswords />
          <Sessions />
        </div>
      )}
    </>
  );
}
