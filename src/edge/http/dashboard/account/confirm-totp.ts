import type { AssertSignedIn } from '../../../../accounts/factors/factors.ts';
import { assertSession } from '../../../../accounts/sessions.ts';
import { ConfirmedTotp, ConfirmTotp } from '../../../../contract/dashboard/factors.ts';
import { afterEnrolment } from '../../../../accounts/factors/after-enrolment.ts';
import { dashboardOperation } from '../operation.ts';

export const confirmTotp = dashboardOperation({
  method: 'POST',
  path: '/user/authenticator-app/confirmation',
  role: 'signed-in',
  serves: 'second-factor',
  confirms: true,
  summary: 'Set up an authenticator app, with a code of it',
  body: ConfirmTotp,
  success: { status: 200, description: 'From now on codes are asked for.', body: ConfirmedTotp },
  errors: ['not-found', 'already-exists'],
  async run({ services, principal, body }) {
    const { ticket, code } = body;
    const { userId } = principal;
    const assertSignedIn: AssertSignedIn = (tx) => assertSession(tx, principal);
    const recoveryCodes = await services.factors.second.confirmTotp(userId, ticket, code, assertSignedIn);
    await afterEnrolment(services.parts.database, principal, recoveryCodes !== null);
    return { recovery_codes: recoveryCodes };
  },
});
