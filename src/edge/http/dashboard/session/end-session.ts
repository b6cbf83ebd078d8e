import { dashboardOperation } from '../operation.ts';

export const endSession = dashboardOperation({
  method: 'DELETE',
  path: '/sessions/{id}',
  role: 'signed-in',
  resource: { name: 'session', prefix: 'ses' },
  summary: 'Sign out somewhere else',
  success: { status: 204, description: 'The session ends within two seconds.' },
  run: ({ services, principal, id }) => services.sessions.end(principal.userId, id),
});
