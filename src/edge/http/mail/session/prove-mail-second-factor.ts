import { SecondFactor } from '../../../../contract/dashboard/factors.ts';
import { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { acceptCode } from '../../browser/accept-code.ts';
import { clientOf } from '../../browser/client-of.ts';
import { waitingFor } from '../../browser/waiting-for.ts';
import { mailOperation } from '../operation.ts';
import { enter } from './enter.ts';

export const proveMailSecondFactor = mailOperation({
  method: 'POST',
  path: '/session/second-factor',
  summary: 'Sign in to a mailbox: the second step, with a code',
  description: 'Six digits of the app, each of which works once, or a recovery code.',
  body: SecondFactor,
  success: { status: 200, description: 'The session.', body: MailSignInAnswer },
  errors: ['sign-in-refused'],
  async run(call): Promise<MailSignInAnswer> {
    const { second } = call.services.factors;
    const { ticket, code } = call.body;
    const { id, passwordHash, finish } = await waitingFor(second, ticket);
    const { address } = clientOf(call.request);
    acceptCode(await second.proveCode({ id, code, address, takesRecoveryCodes: true }));
    await finish();
    return enter(call, { ...id, passwordHash });
  },
});
