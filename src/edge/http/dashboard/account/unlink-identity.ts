import { dashboardOperation } from '../operation.ts';

export const unlinkIdentity = dashboardOperation({
  method: 'DELETE',
  path: '/user/identities/{id}',
  role: 'signed-in',
  confirms: true,
  resource: { name: 'account at a provider', prefix: 'idn' },
  summary: 'Forget an account at the OpenID provider',
  description: 'But for the last way in. Whoever signs in with a verified address again is linked again.',
  success: { status: 204, description: 'It is forgotten.' },
  run: ({ services, principal, id }) => services.factors.identities.remove(principal.userId, id),
});
