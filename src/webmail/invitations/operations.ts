/** Operations on invitations in messages. `run.ts` implements them. */
import { AnswerInvitation, Invitation } from '../../contract/mail/invitations.ts';
import { declare } from '../../contract/operation.ts';

export const INVITATION_OPERATIONS = {
  getInvitation: declare({
    summary: 'Get the invitation in a message',
    success: { status: 200, description: 'The event, and the reply of the mailbox.', body: Invitation },
    doors: {
      mail: {
        route: 'GET /mailboxes/{mailbox}/messages/{id}/invitation',
        resource: { name: 'message with an invitation', prefix: 'msg' },
      },
    },
  }),
  answerInvitation: declare({
    summary: 'Reply to an invitation',
    description: 'The organizer receives the reply by email, from the invited address (RFC 5546).',
    body: AnswerInvitation,
    errors: ['invitation-outdated'],
    success: { status: 200, description: 'The event. The reply is queued.', body: Invitation },
    doors: {
      mail: {
        route: 'POST /mailboxes/{mailbox}/messages/{id}/invitation',
        resource: { name: 'message with an invitation', prefix: 'msg' },
      },
    },
  }),
};
