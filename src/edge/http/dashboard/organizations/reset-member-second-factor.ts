import { dashboardOperation } from '../operation.ts';

export const resetMemberSecondFactor = dashboardOperation({
  method: 'DELETE',
  path: '/organizations/{organization}/users/{id}/second-factor',
  role: 'owner',
  confirms: true,
  resource: { name: 'user in this organisation', prefix: 'usr' },
  summary: 'Switch off the second factor of somebody who has lost it',
  description:
    'The authenticator app, all passkeys and recovery codes go. They are told by mail. Of somebody who belongs to another organisation too, or runs this installation, only an operator switches it off.',
  success: { status: 204, description: 'Their password alone is enough again.' },
  async run({ services, principal, id }) {
    const wasOn = await services.organizations.resetMemberSecondFactor(principal, id);
    if (wasOn === true) services.accountMail.tellSecondFactorIsOff(id, principal.name);
    return wasOn === null ? null : true;
  },
});
