import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FactorCallsContext } from '../../account/calls.ts';
import { ConfirmQuestion } from '../../account/confirm-question.tsx';
import { Passkeys } from '../../account/passkeys.tsx';
import { RecoveryCodes } from '../../account/recovery-codes.tsx';
import { SecondFactor } from '../../account/second-factor.tsx';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import { NotLoaded } from '../../shell/loaded.tsx';
import type { Session } from '../../../src/contract/dashboard/session.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { FACTOR_CALLS } from '../pages/account/factor-calls.ts';
import { waysQuery } from '../pages/sign-in/ways.ts';
import { CONFIRM_CALLS } from './confirm-dialog.tsx';
import { nameOfRequirement, type UnmetRequirement, unmetRequirementsOf } from './unmet-requirements.ts';
import { goToProvider } from './openid.ts';
import { useWatched } from '../../ui/watched.ts';
import { accountQuery, sessionQuery } from './session.ts';
import { newCodes } from './state.ts';

/**
 * Helps the user meet a sign-in requirement: by setting up or confirming a second factor, or through the OpenID
 * provider.
 */
export default function StrongerSignIn({ session }: { session: Session }) {
  const queries = useQueryClient();
  const { data: account, error, refetch } = useQuery(accountQuery);
  const codes = useWatched(newCodes);
  const unmet = unmetRequirementsOf(session);
  const settle = () => queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  if (account === undefined)
    return <NotLoaded title="Could not load your account" error={error} refetch={refetch} />;
  // The recovery codes are shown once, so the page stays until the user has stored them.
  if (codes !== null)
    return (
      <RecoveryCodes
        codes={codes}
        onDone={() => {
          newCodes.set(null);
          void settle();
        }}
      />
    );
  const mayUseFactor = unmet.some(({ required }) => required === 'second-factor');
  const hasFactor = account.authenticator_app || account.passkeys.length > 0;
  return (
    <div className="grid max-w-3xl grid-cols-1 gap-4">
      <ul className="grid gap-1 text-muted">
        {unmet.map((requirement) => (
          <li key={nameOfRequirement(requirement)}>{sentenceOf(requirement)}</li>
        ))}
      </ul>
      {mayUseFactor && hasFactor && <Confirm account={account} onDone={settle} />}
      {mayUseFactor && !hasFactor && (
        <FactorCallsContext value={FACTOR_CALLS}>
          <Passkeys passkeys={account.passkeys} onCodes={newCodes.set} />
          <SecondFactor account={account} onCodes={newCodes.set} />
        </FactorCallsContext>
      )}
      <Provider isOnlyWay={!mayUseFactor} />
    </div>
  );
}

function sentenceOf(requirement: UnmetRequirement): string {
  const { organization, required } = requirement;
  const how = required === 'openid' ? 'sign in with OpenID' : 'use a second factor';
  return organization === null
    ? `Operators of this installation cannot open System until they ${how}.`
    : `You cannot open ${organization} until you ${how}.`;
}

interface ConfirmProps {
  account: { authenticator_app: boolean; passkeys: readonly unknown[] };
  onDone(): Promise<void>;
}

function Confirm({ account, onDone }: ConfirmProps) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <Card title="Your second factor">
      <p className="mb-3 text-muted">
        You have a second factor but have not used it in this browser since you signed in. If you lost it,
        sign out and sign in with a recovery code.
      </p>
      <Button kind="primary" onClick={() => setIsAsking(true)}>
        Confirm with your second factor
      </Button>
      {isAsking && (
        <ConfirmQuestion
          ways={[
            ...(account.authenticator_app ? (['code'] as const) : []),
            ...(account.passkeys.length > 0 ? (['passkey'] as const) : []),
          ]}
          calls={CONFIRM_CALLS}
          onFinish={(isConfirmed) => {
            setIsAsking(false);
            if (isConfirmed) void onDone();
          }}
        />
      )}
    </Card>
  );
}

function Provider({ isOnlyWay }: { isOnlyWay: boolean }) {
  const { data: ways } = useQuery(waysQuery);
  const start = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      dataOf(api.POST('/session/openid/start', { body: { return_to: location.pathname + location.search } })),
    onSuccess: (started) => goToProvider(started, 'sign-in'),
  });
  if (ways === undefined) return null;
  if (ways.openid === null)
    return isOnlyWay ? (
      <p className="text-muted">No OpenID provider is configured any more. Ask an operator.</p>
    ) : null;
  return (
    <div className="grid justify-items-start gap-2">
      <Button
        kind={isOnlyWay ? 'primary' : 'secondary'}
        isBusy={start.isPending}
        onClick={() => start.mutate()}
      >
        Sign in with {ways.openid.name}
      </Button>
      {start.error && (
        <p role="alert" className="text-sm text-bad">
          {messageOf(start.error)}
        </p>
      )}
    </div>
  );
}
