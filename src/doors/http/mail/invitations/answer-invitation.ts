import { INVITATION_OPERATIONS } from '../../../../webmail/invitations/operations.ts';
import { mailRun } from '../operation.ts';

export const answerInvitation = mailRun(
  INVITATION_OPERATIONS.answerInvitation,
  ({ services, mailbox, id, body, isSecure }) => services.invitations.answer(mailbox, id, body, isSecure),
);
