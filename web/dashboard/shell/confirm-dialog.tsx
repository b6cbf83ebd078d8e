import { useMutation, useQuery } from '@tanstack/react-query';
import { ConfirmQuestion } from '../../account/confirm-question.tsx';
import { dataOf, messageOf } from '../../api/client.ts';
import { api } from '../../api/dashboard.ts';
import type { ConfirmSession } from '../../../src/contract/dashboard/factors.ts';
import type { ConfirmDialogProps } from '../../shell/confirmation.tsx';
import { Button } from '../../ui/button.tsx';
import { goToProvider } from './openid.ts';
import { accountQuery } from './session.ts';

export const CONFIRM_CALLS = {
  confirm: (body: ConfirmSession) => dataOf(api.POST('/session/confirmation', { body })),
  askPasskey: () => dataOf(api.POST('/session/confirmation/passkey-question')),
};

/** Confirms the user's identity again before keys, secrets or people are changed. */
export default function ConfirmDialog({ onFinish }: ConfirmDialogProps) {
  const { data: account } = useQuery(accountQuery);
  // The dialog assumes a password until the response arrives, because most users have a password.
  const ways = account?.confirms_by ?? ['password'];
  return (
    <ConfirmQuestion ways={ways.filter((way) => way !== 'openid')} calls={CONFIRM_CALLS} onFinish={onFinish}>
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
