import { AnswerInvitation, Invitation } from '../../../../contract/mail/invitations.ts';
import { mailOperation } from '../operation.ts';

export const answerInvitation = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/messages/{id}/invitation',
  resource: { name: 'message with an invitation', prefix: 'msg' },
  summary: 'Answer an invitation',
  description: 'The organiser gets the answer as mail, from the address that was invited (RFC 5546).',
  body: AnswerInvitation,
  success: { status: 200, description: 'The answer is on its way.', body: Invitation },
  run: ({ services, mailbox, id, body, isSecure }) =>
    services.invitations.answer(mailbox, id, body, isSecure),
});
