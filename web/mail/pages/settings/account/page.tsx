import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { FactorCallsContext, type AppPasswordCalls, type FactorCalls } from '../../../../account/calls.ts';
import { Passkeys } from '../../../../account/passkeys.tsx';
import { PasswordCard } from '../../../../account/password-card.tsx';
import { RecoveryCodes } from '../../../../account/recovery-codes.tsx';
import { SecondFactor } from '../../../../account/second-factor.tsx';
import { dataOf } from '../../../../api/client.ts';
import { api } from '../../../../api/mail.ts';
import { PageHeader } from '../../../../ui/page-header.tsx';
import { useMailbox } from '../../../shell/session.ts';
import { accountQuery, appPasswordsQuery } from './queries.ts';
import { Sessions } from './sessions.tsx';
import { AppPasswords } from '../../../../account/app-passwords.tsx';
import { queryClient } from '../../../../api/query-client.ts';
import { NotLoaded } from '../../../../shell/loaded.tsx';

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
              <span className="wrap-anywhere">, also receives mail for {aliases.join(', ')}</span>
            )}
          </>
        }
      />
      {account === undefined && (
        <NotLoaded title="Could not load your account" error={error} refetch={refetch} />
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
            Changing your password signs you out everywhere else. Mail apps that use the old password will ask
            for the new one. App passwords keep working.
          </PasswordCard>
          <FactorCallsContext value={calls}>
            <Passkeys passkeys={account.passkeys} onCodes={setCodes} />
            <SecondFactor account={account} onCodes={setCodes}>
              <p className="border-t border-line pt-4 text-sm text-pretty text-muted">
                {account.authenticator_app || account.passkeys.length > 0
                  ? 'Mail apps cannot use a second factor, so your password no longer works in them. Create an app password for each one below.'
                  : 'Once you add a passkey or an authenticator app, your password alone is no longer enough to sign in, and each mail app needs an app password.'}
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

function OwnAppPasswords() {
  const { mailbox, address } = useMailbox();
  const queries = useQueryClient();
  const calls: AppPasswordCalls = {
    create: (body) =>
      dataOf(api.POST('/mailboxes/{mailbox}/app-passwords', { params: { path: { mailbox } }, body })),
    revoke: (id) =>
      dataOf(api.DELETE('/mailboxes/{mailbox}/app-passwords/{id}', { params: { path: { mailbox, id } } })),
    settle: () => queries.invalidateQueries({ queryKey: appPasswordsQuery(mailbox).queryKey }),
  };
  return (
    <AppPasswords address={address} list={useQuery(appPasswordsQuery(mailbox))} calls={calls}>
      Create one for each mail app. If you lose a phone, revoke only its password. App passwords do not work
      in this web client.{' '}
      <a href="/mail/setup" className="font-medium text-accent hover:underline">
        How to set up a mail app
      </a>
    </AppPasswords>
  );
}

function factorCallsOf(mailbox: string): FactorCalls {
  const params = { path: { mailbox } };
  const withId = (id: string) => ({ path: { mailbox, id } });
  return {
    startApp: () => dataOf(api.POST('/mailboxes/{mailbox}/authenticator-app', { params })),
    confirmApp: (body) =>
      dataOf(api.POST('/mailboxes/{mailbox}/authenticator-app/confirmation', { params, body })),
    removeApp: () => dataOf(api.DELETE('/mailboxes/{mailbox}/authenticator-app', { params })),
    makeCodes: () => dataOf(api.POST('/mailboxes/{mailbox}/recovery-codes', { params })),
    startPasskey: () => dataOf(api.POST('/mailboxes/{mailbox}/passkeys/question', { params })),
    addPasskey: (body) => dataOf(api.POST('/mailboxes/{mailbox}/passkeys', { params, body })),
    renamePasskey: (id, name) =>
      dataOf(api.PATCH('/mailboxes/{mailbox}/passkeys/{id}', { params: withId(id), body: { name } })),
    removePasskey: (id) => dataOf(api.DELETE('/mailboxes/{mailbox}/passkeys/{id}', { params: withId(id) })),
    settle: () => queryClient.invalidateQueries({ queryKey: accountQuery(mailbox).queryKey }),
  };
}
