import { useMutation, useQuery } from '@tanstack/react-query';
import { ConfirmQuestion } from '../../account/confirm-question.tsx';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import type { ConfirmSession } from '../../../src/contract/dashboard/factors.ts';
import { Button } from '../../ui/button.tsx';
import { accountQuery } from './account-query.ts';
import { goToProvider } from './openid.ts';
import { confirmation } from './state.ts';

export const CONFIRM_CALLS = {
  confirm: (body: ConfirmSession) => dataOf(api.POST('/session/confirmation', { body })),
  askPasskey: () => dataOf(api.POST('/session/confirmation/passkey-question')),
};

/** Before keys, secrets and people are changed: who sits there, again. */
export default function ConfirmDialog({ settle }: { settle(isConfirmed: boolean): void }) {
  const { data: account } = useQuery(accountQuery);
  // Nearly everybody has a password: it does not wait for the answer.
  const ways = account?.confirms_by ?? ['password'];
  return (
    <ConfirmQuestion
      ways={ways.filter((way) => way !== 'openid')}
      calls={CONFIRM_CALLS}
      onFinish={(isConfirmed) => {
        settle(isConfirmed);
        confirmation.set(null);
      }}
    >
      {ways.includes('openid') && <Provider />}
    </ConfirmQuestion>
  );
}

function Provider() {
  const start = useMutation({
    meta: { showsErrors: true },
    mutationFn: () =>
      dataOf(
        api.POST('/session/confirmation/openid/start', {
          body: { return_to: location.pathname + location.search },
        }),
      ),
    onSuccess: (started) => goToProvider(started, 'confirmation'),
  });
  return (
    <>
      <Button isBusy={start.isPending} onClick={() => start.mutate()}>
        Sign in at your provider again
      </Button>
      {start.error && (
        <p role="alert" className="text-sm text-bad">
          {messageOf(start.error)}
        </p>
      )}
    </>
  );
}
