/** Operations that invite members and reset a second factor. `run.ts` implements them. */
import { CreateInvitation, CreatedInvitation } from '../../contract/dashboard/organizations.ts';
import { declare } from '../../contract/operation.ts';

export const SERVICE_MAIL_OPERATIONS = {
  createInvitation: declare({
    summary: 'Invite a member',
    description:
      'The link works once, within seven days. Only owners can invite owners. An address with a mailbox on this server gets no email: give the link to the person yourself. If people with a lower role or from another organization can read that mailbox, an owner or an operator must confirm the invitation.',
    body: CreateInvitation,
    success: { status: 201, description: 'The invitation, with its link.', body: CreatedInvitation },
    errors: ['already-exists'],
    doors: {
      dashboard: {
        route: 'POST /organizations/{organization}/invitations',
        role: 'admin',
        needsConfirmation: true,
      },
    },
  }),
  resetMemberSecondFactor: declare({
    summary: 'Turn off the second factor of a member',
    description:
      'Removes the authenticator app, all passkeys and the recovery codes. The member is notified by email. Only an operator can do this for a user who also belongs to another organization or is an operator.',
    success: {
      status: 204,
      description: 'The second factor is turned off. The password alone is now enough to sign in.',
    },
    doors: {
      dashboard: {
        route: 'DELETE /organizations/{organization}/users/{id}/second-factor',
        role: 'owner',
        needsConfirmation: true,
        resource: { name: 'user in this organization', prefix: 'usr' },
      },
    },
  }),
};
