import { FACTOR_OPERATIONS } from '../../../../accounts/factors/operations.ts';
import { endSessionByToken } from '../../../../accounts/sessions.ts';
import { setSessionCookie } from '../cookies.ts';
import { dashboardRun } from '../operation.ts';

export const signOut = dashboardRun(
  FACTOR_OPERATIONS.signOut,
  async ({ services, sessionToken, reply, isSecure }) => {
    await endSessionByToken(services.parts.database, sessionToken);
    setSessionCookie(reply, null, isSecure);
  },
);
