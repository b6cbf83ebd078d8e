import { NewTotp } from '../../../../contract/dashboard/factors.ts';
import { totpAnswer } from '../../browser/totp-answer.ts';
import { mailOperation } from '../operation.ts';

export const startMailTotp = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/authenticator-app',
  confirms: true,
  summary: 'Begin to set up an authenticator app',
  description: 'It counts once a code of it was typed.',
  success: { status: 200, description: 'A secret, as a picture and as text.', body: NewTotp },
  run: async ({ services, mailbox, session }) =>
    totpAnswer(await services.factors.second.startTotp(mailbox, session.address)),
});
