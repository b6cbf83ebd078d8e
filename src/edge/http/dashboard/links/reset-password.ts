import { resetPassword as setPasswordByLink } from '../../../../accounts/use-links.ts';
import { ResetPassword, SignInAnswer } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';
import { nextStep } from '../sign-in/next-step.ts';

export const resetPassword = dashboardOperation({
  method: 'POST',
  path: '/links/reset',
  role: 'anyone',
  summary: 'Set another password with a link',
  description: 'All sessions of the user end. A second factor is asked for all the same.',
  body: ResetPassword,
  success: { status: 200, description: 'The password is set. What comes next.', body: SignInAnswer },
  errors: ['not-found'],
  async run(call) {
    const { token, password } = call.body;
    return nextStep(call, await setPasswordByLink(call.services.parts.database, token, password));
  },
});
