import { Vacation } from '../../../../contract/mail/filing.ts';
import { mailOperation } from '../operation.ts';

export const getVacation = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/vacation',
  summary: 'What people are answered while the owner is away',
  success: { status: 200, description: 'The answer.', body: Vacation },
  async run({ services, mailbox }) {
    const filing = await services.filing.read(mailbox);
    return filing && { vacation: filing.vacation };
  },
});
