import { Session } from '../../../../contract/dashboard/session.ts';
import { csrfTokenOf } from '../../browser/csrf.ts';
import { dashboardOperation } from '../operation.ts';

export const getSession = dashboardOperation({
  method: 'GET',
  path: '/session',
  role: 'signed-in',
  serves: 'session',
  summary: 'Tell who is signed in, and what they may open',
  success: { status: 200, description: 'The session.', body: Session },
  run: ({ services, principal, sessionToken }) =>
    services.describeSession(principal, csrfTokenOf(sessionToken)),
});
