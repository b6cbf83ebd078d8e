import { TrustedSenderList } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';

export const listTrustedSenders = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/trusted-senders',
  summary: 'Senders whose images of elsewhere are always shown',
  success: { status: 200, description: 'The senders.', body: TrustedSenderList },
  run: async ({ services, mailbox }) => ({
    data: (await services.trustedSenders.list(mailbox)).map(({ address, createdAt }) => ({
      address,
      created_at: createdAt.toISOString(),
    })),
  }),
});
