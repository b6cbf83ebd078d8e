import { ConfirmedTotp, ConfirmTotp } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';

export const confirmMailTotp = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/authenticator-app/confirmation',
  confirms: true,
  summary: 'Set up an authenticator app',
  description: 'From now on mail apps need app passwords.',
  body: ConfirmTotp,
  success: { status: 200, description: 'Its codes are asked for from now on.', body: ConfirmedTotp },
  errors: ['not-found', 'already-exists'],
  async run({ services, mailbox, body: { ticket, code } }) {
    return { recovery_codes: await services.factors.second.confirmTotp(mailbox, ticket, code) };
  },
});
