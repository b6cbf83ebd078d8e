import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConfirmCalls } from '../../account/calls.ts';
import { ConfirmQuestion } from '../../account/confirm-question.tsx';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { ConfirmDialogProps } from '../../shell/confirmation.tsx';
import { accountQuery } from '../pages/settings/account/queries.ts';

/** Confirms the user's identity again before sensitive changes, for example to passwords. */
export default function ConfirmDialog({ path: { mailbox = '' }, onFinish }: ConfirmDialogProps) {
  const { data: account } = useQuery(accountQuery(mailbox));
  const calls = useMemo((): ConfirmCalls => {
    const params = { path: { mailbox } };
    return {
      confirm: (body) => dataOf(api.POST('/mailboxes/{mailbox}/session/confirmation', { params, body })),
      askPasskey: () =>
        dataOf(api.POST('/mailboxes/{mailbox}/session/confirmation/passkey-question', { params })),
    };
  }, [mailbox]);
  return <ConfirmQuestion ways={account?.confirms_by ?? ['password']} calls={calls} onFinish={onFinish} />;
}
