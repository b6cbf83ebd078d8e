import { SignIn, SignInAnswer } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';
import { nextStep } from '../sign-in/next-step.ts';
import { prove } from './prove.ts';

export const signIn = dashboardOperation({
  method: 'POST',
  path: '/session',
  role: 'anyone',
  summary: 'Sign in',
  description: 'A wrong password and an unknown address have one answer, in the same time.',
  body: SignIn,
  success: { status: 200, description: 'What comes next. The cookie is the session.', body: SignInAnswer },
  errors: ['sign-in-refused'],
  async run(call) {
    const { email, password } = call.body;
    return nextStep(call, await prove(call, email, password));
  },
});
