import { MailMessage } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from './message-resource.ts';

export const getMailMessage = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}',
  resource: MESSAGE,
  summary: 'A message with what it says as text, its attachments, and what is to be known of it',
  success: { status: 200, description: 'The message.', body: MailMessage },
  run: ({ services, mailbox, id }) => services.messages.describe(mailbox, id),
});
