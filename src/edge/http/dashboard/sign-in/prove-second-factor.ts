import { SecondFactor } from '../../../../contract/dashboard/factors.ts';
import { SignInAnswer } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';
import { enterBehindSecondFactor } from '../session/enter-behind-second-factor.ts';
import { clientOf } from '../../browser/client-of.ts';
import { acceptCode } from '../../browser/accept-code.ts';
import { waitingFor } from '../../browser/waiting-for.ts';

export const proveSecondFactor = dashboardOperation({
  method: 'POST',
  path: '/session/second-factor',
  role: 'anyone',
  summary: 'Sign in: the second step, with a code',
  description: 'Six digits of the app, each of which works once, or a recovery code.',
  body: SecondFactor,
  success: { status: 200, description: 'The cookie is the session.', body: SignInAnswer },
  errors: ['sign-in-refused', 'not-found'],
  async run(call) {
    const { ticket, code } = call.body;
    const waiting = await waitingFor(call.services.factors.second, ticket);
    const { address } = clientOf(call.request);
    acceptCode(
      await call.services.factors.second.proveCode({
        id: waiting.id,
        code,
        address,
        takesRecoveryCodes: true,
      }),
    );
    await enterBehindSecondFactor(call, waiting);
    return { next: 'done' };
  },
});
