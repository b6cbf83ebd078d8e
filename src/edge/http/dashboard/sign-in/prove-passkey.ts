import { PasskeyAnswer } from '../../../../contract/dashboard/factors.ts';
import { SignInAnswer } from '../../../../contract/dashboard/users.ts';
import { passkeyRefused } from '../../browser/passkey-refused.ts';
import { dashboardOperation } from '../operation.ts';
import { enter } from '../session/enter.ts';
import { enterBehindSecondFactor } from '../session/enter-behind-second-factor.ts';
import { originOf } from '../../browser/origin-of.ts';
import { waitingFor } from '../../browser/waiting-for.ts';

export const provePasskey = dashboardOperation({
  method: 'POST',
  path: '/session/passkey',
  role: 'anyone',
  summary: 'Sign in with a passkey',
  description: 'It is enough alone: the device has asked who holds it.',
  body: PasskeyAnswer,
  success: { status: 200, description: 'The cookie is the session.', body: SignInAnswer },
  errors: ['sign-in-refused', 'not-found'],
  async run(call) {
    const { ticket, response, second_factor_ticket: second } = call.body;
    const waiting = second === undefined ? null : await waitingFor(call.services.factors.second, second);
    const userId = await call.services.factors.passkeys.prove(
      { ticket, response, origin: originOf(call.request) },
      waiting?.id ?? null,
    );
    if (userId === null) throw passkeyRefused();
    if (waiting === null)
      await enter(call, { userId, passwordHash: null, by: 'passkey', withSecondFactor: true });
    else await enterBehindSecondFactor(call, waiting);
    return { next: 'done' };
  },
});
