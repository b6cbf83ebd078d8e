import { PasskeyAnswer } from '../../../../contract/dashboard/factors.ts';
import { SignInAnswer } from '../../../../contract/dashboard/users.ts';
import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';
import { enter } from '../session/enter.ts';
import { originOf } from './origin-of.ts';
import { waitingFor } from './waiting-for.ts';

export const provePasskey = dashboardOperation({
  method: 'POST',
  path: '/session/passkey',
  role: 'anyone',
  summary: 'Sign in with a passkey',
  description: 'It is enough alone: the device has asked who holds it.',
  body: PasskeyAnswer,
  success: { status: 200, description: 'The cookie is the session.', body: SignInAnswer },
  errors: ['sign-in-refused'],
  async run(call) {
    const { ticket, response, second_factor_ticket: second } = call.body;
    const waiting = second === undefined ? null : await waitingFor(call, second);
    const userId = await call.services.factors.passkeys.prove(
      { ticket, response, origin: originOf(call.request) },
      waiting?.proved.userId ?? null,
    );
    if (userId === null) throw passkeyRefused();
    await waiting?.finish();
    await enter(call, waiting?.proved ?? { userId, passwordHash: null, by: 'passkey' });
    return { next: 'done' };
  },
});

export function passkeyRefused(): AppError {
  return new AppError('sign-in-refused', 'This passkey is not known here, or the answer came too late.');
}
