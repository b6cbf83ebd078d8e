import { MailWaiting } from '../../../../contract/mail/messages.ts';
import { mailOperation } from '../operation.ts';
import { MESSAGE } from './message-resource.ts';

export const getWaitingRecipients = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/waiting',
  resource: MESSAGE,
  summary: 'Whether a message that the owner has sent waits for its kind of provider',
  success: { status: 200, description: 'What waits.', body: MailWaiting },
  run: ({ services, mailbox, id }) => services.readWaiting(mailbox, id),
});
