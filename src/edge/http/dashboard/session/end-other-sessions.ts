import { dashboardOperation } from '../operation.ts';

export const endOtherSessions = dashboardOperation({
  method: 'DELETE',
  path: '/sessions',
  role: 'signed-in',
  summary: 'Sign out everywhere else',
  success: { status: 204, description: 'All sessions but this one end within two seconds.' },
  run: ({ services, principal }) => services.sessions.endAll(principal.userId, principal.sessionId),
});
