import { TrustSender } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';

export const trustMailSender = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/trusted-senders',
  summary: 'Always show images of elsewhere in messages of a sender, or no longer',
  description: 'It counts where it is proved that a message is from them.',
  body: TrustSender,
  success: { status: 204, description: 'It holds.' },
  run: ({ services, mailbox, body }) =>
    services.trustedSenders.set(mailbox, body.address, body.trusted ?? true),
});
