import { SessionList } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';

export const listSessions = dashboardOperation({
  method: 'GET',
  path: '/sessions',
  role: 'signed-in',
  summary: 'List where the user is signed in',
  success: { status: 200, description: 'The sessions.', body: SessionList },
  run: ({ services, principal }) => services.sessions.list(principal),
});
