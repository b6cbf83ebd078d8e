/** Operations on invitations in messages. `run.ts` implements them. */
import { AnswerInvitation, Invitation } from '../../contract/mail/invitations.ts';
import { declare } from '../../contract/operation.ts';

export const INVITATION_OPERATIONS = {
  getInvitation: declare({
    summary: 'What the calendar in a message says',
    success: { status: 200, description: 'The event, and what the mailbox answered.', body: Invitation },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/invitation',
        resource: { name: 'message with an invitation', prefix: 'msg' },
      },
    },
  }),
  answerInvitation: declare({
    summary: 'Answer an invitation',
    description: 'The organiser gets the answer as mail, from the address that was invited (RFC 5546).',
    body: AnswerInvitation,
    success: { status: 200, description: 'The answer is on its way.', body: Invitation },
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/messages/{id}/invitation',
        resource: { name: 'message with an invitation', prefix: 'msg' },
      },
    },
  }),
};
