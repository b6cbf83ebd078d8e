import { RenamePasskey } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const renamePasskey = dashboardOperation({
  method: 'PATCH',
  path: '/user/passkeys/{id}',
  role: 'signed-in',
  resource: { name: 'passkey', prefix: 'psk' },
  summary: 'Call a passkey something else',
  body: RenamePasskey,
  success: { status: 204, description: 'It has the name.' },
  run: ({ services, principal, id, body }) =>
    services.factors.passkeys.rename(principal.userId, id, body.name),
});
