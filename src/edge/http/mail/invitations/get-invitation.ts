import { Invitation } from '../../../../contract/mail/invitations.ts';
import { mailOperation } from '../operation.ts';

export const getInvitation = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/messages/{id}/invitation',
  resource: { name: 'message with an invitation', prefix: 'msg' },
  summary: 'What the calendar in a message says',
  success: { status: 200, description: 'The event, and what the mailbox answered.', body: Invitation },
  run: ({ services, mailbox, id }) => services.invitations.read(mailbox, id),
});
