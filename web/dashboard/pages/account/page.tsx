import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { unmetRequirementsOf } from '../../shell/unmet-requirements.ts';
import { accountQuery, useSession } from '../../shell/session.ts';
import { Identities } from './identities.tsx';
import { NameCard } from './name-card.tsx';
import { FactorCallsContext } from '../../../account/calls.ts';
import { Passkeys } from '../../../account/passkeys.tsx';
import { PasswordCard } from '../../../account/password-card.tsx';
import { RecoveryCodes } from '../../../account/recovery-codes.tsx';
import { SecondFactor } from '../../../account/second-factor.tsx';
import { FACTOR_CALLS } from './factor-calls.ts';
import { Sessions } from './sessions.tsx';

const StrongerSignIn = lazyPart(() => import('../../shell/stronger-sign-in.tsx'));

export default function AccountPage() {
  const session = useSession();
  const { user } = session;
  const { data: account, error, refetch } = useQuery(accountQuery);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  return (
    <>
      <PageHeader title="Account" description={user.email} />
      {unmetRequirementsOf(session).length > 0 && (
        <section aria-label="Additional sign-in step" className="mb-6">
          <Suspense fallback={<SkeletonRows />}>
            <StrongerSignIn session={session} />
          </Suspense>
        </section>
      )}
      {account === undefined && (
        <NotLoaded title="Could not load your account" error={error} refetch={refetch} />
      )}
      {codes !== null && <RecoveryCodes codes={codes} onDone={() => setCodes(null)} />}
      {account !== undefined && (
        <div className="grid max-w-3xl grid-cols-1 gap-4">
          <NameCard />
          {account.has_password && (
            <PasswordCard
              username={user.email}
              change={(body) => dataOf(api.PUT('/user/password', { body }))}
            >
              Changing your password signs you out on all other devices.
            </PasswordCard>
          )}
          <FactorCallsContext value={FACTOR_CALLS}>
            <Passkeys passkeys={account.passkeys} onCodes={setCodes} />
            <SecondFactor account={account} onCodes={setCodes} />
          </FactorCallsContext>
          {account.identities.length > 0 && <Identities identities={account.identities} />}
          <Sessions />
        </div>
      )}
    </>
  );
}
