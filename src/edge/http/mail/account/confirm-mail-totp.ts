import { ConfirmedTotp, ConfirmTotp } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';
import { endBefore, FROM_NOW_ON } from './first-factor.ts';

export const confirmMailTotp = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/authenticator-app/confirmation',
  confirms: true,
  summary: 'Set up an authenticator app',
  description: FROM_NOW_ON,
  body: ConfirmTotp,
  success: { status: 200, description: 'Its codes are asked for from now on.', body: ConfirmedTotp },
  errors: ['not-found', 'already-exists'],
  async run({ services, mailbox, session, body: { ticket, code } }) {
    const recoveryCodes = await services.factors.second.confirmTotp(mailbox, ticket, code);
    await endBefore(services, session, recoveryCodes);
    return { recovery_codes: recoveryCodes };
  },
});
