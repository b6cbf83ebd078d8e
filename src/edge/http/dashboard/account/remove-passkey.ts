import { dashboardOperation } from '../operation.ts';

export const removePasskey = dashboardOperation({
  method: 'DELETE',
  path: '/user/passkeys/{id}',
  role: 'signed-in',
  confirms: true,
  resource: { name: 'passkey', prefix: 'psk' },
  summary: 'Remove a passkey',
  description: 'But for the last way in.',
  success: { status: 204, description: 'It does not sign in any more.' },
  run: ({ services, principal, id }) => services.factors.passkeys.remove(principal.userId, id),
});
