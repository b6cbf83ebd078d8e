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
  run: async ({ services, principal, sessionToken }) => {
    // What was remembered may be older than a second factor and an organisation that has just begun to require it.
    const now = (await services.signedIn.look(sessionToken, {}))?.user ?? principal;
    return services.describeSession(now, csrfTokenOf(sessionToken));
  },
});
