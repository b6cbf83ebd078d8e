import { MailUnsubscribed } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from './message-resource.ts';

export const unsubscribeFromSender = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/messages/{id}/unsubscribe',
  resource: MESSAGE,
  summary: 'Get no more mail of the kind of this message',
  description:
    'Where unsubscribe of the message is one-click (RFC 8058): this service asks the sender, and says nothing of the reader.',
  success: { status: 200, description: 'What came of it.', body: MailUnsubscribed },
  run: ({ services, mailbox, id }) => services.messageBytes.unsubscribe(mailbox, id),
});
