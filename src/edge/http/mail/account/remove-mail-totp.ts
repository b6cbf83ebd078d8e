import { AppError } from '../../../../model/app-error.ts';
import { mailOperation } from '../operation.ts';

export const removeMailTotp = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/authenticator-app',
  confirms: true,
  summary: 'Remove the authenticator app',
  success: { status: 204, description: 'Its codes are not asked for any more.' },
  async run({ services, mailbox }) {
    if (!(await services.factors.second.removeTotp(mailbox)))
      throw new AppError('not-found', 'There is no authenticator app.');
  },
});
