/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Invitations } from './invitations.ts';
import type { INVITATION_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface InvitationParts {
  invitations: Pick<Invitations, 'read' | 'answer'>;
}

export const run: Run<typeof INVITATION_OPERATIONS, InvitationParts> = {
  getInvitation: ({ invitations }, { mailbox, id }) => invitations.read(mailbox, id),
  answerInvitation: ({ invitations }, { mailbox, id, body, isSecure }) =>
    invitations.answer(mailbox, id, body, isSecure),
};
