/** Operations that invite members and reset a second factor. `run.ts` implements them. */
import { CreateInvitation, CreatedInvitation } from '../../contract/dashboard/organizations.ts';
import { declare } from '../../contract/operation.ts';

export const SERVICE_MAIL_OPERATIONS = {
  createInvitation: declare({
    summary: 'Invite somebody',
    description:
      'The link works once, within seven days. Only owners invite owners. An address whose mailbox is on this server gets no email: hand over the link. If people with a lower role or of another organisation can read that mailbox, an owner or an operator has to confirm the invitation.',
    body: CreateInvitation,
    success: { status: 201, description: 'The invitation, with its link.', body: CreatedInvitation },
    errors: ['already-exists'],
    doors: {
      dashboard: { route: 'POST /organizations/{organization}/invitations', role: 'admin', confirms: true },
    },
  }),
  resetMemberSecondFactor: declare({
    summary: 'Switch off the second factor of somebody who has lost it',
    description:
      'The authenticator app, all passkeys and recovery codes go. They are told by mail. Of somebody who belongs to another organisation too, or runs this installation, only an operator switches it off.',
    success: { status: 204, description: 'Their password alone is enough again.' },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/second-factor',
        role: 'owner',
        confirms: true,
        resource: { name: 'user in this organisation', prefix: 'usr' },
      },
    },
  }),
};
