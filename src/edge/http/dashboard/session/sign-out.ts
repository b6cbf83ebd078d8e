import { endSessionByToken } from '../../../../accounts/sessions.ts';
import { setSessionCookie } from '../cookies.ts';
import { dashboardOperation } from '../operation.ts';

export const signOut = dashboardOperation({
  method: 'DELETE',
  path: '/session',
  role: 'signed-in',
  serves: 'session',
  summary: 'Sign out',
  success: { status: 204, description: 'The session has ended.' },
  async run({ services, sessionToken, reply, isSecure }) {
    await endSessionByToken(services.parts.database, sessionToken);
    setSessionCookie(reply, null, isSecure);
  },
});
