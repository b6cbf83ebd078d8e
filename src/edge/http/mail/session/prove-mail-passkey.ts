import { PasskeyAnswer } from '../../../../contract/dashboard/factors.ts';
import { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRefused } from '../../browser/passkey-refused.ts';
import { waitingFor } from '../../browser/waiting-for.ts';
import { mailOperation } from '../operation.ts';
import { assertHasRoom, enter } from './enter.ts';

export const proveMailPasskey = mailOperation({
  method: 'POST',
  path: '/session/passkey',
  summary: 'Sign in to a mailbox with a passkey',
  description: 'It is enough alone: the device has asked who holds it.',
  body: PasskeyAnswer,
  success: { status: 200, description: 'The session.', body: MailSignInAnswer },
  errors: ['sign-in-refused'],
  async run(call): Promise<MailSignInAnswer> {
    const { second, passkeys } = call.services.factors;
    const { ticket, response, second_factor_ticket: first } = call.body;
    await assertHasRoom(call);
    const waiting = first === undefined ? null : await waitingFor(second, first);
    const asserted = { ticket, response, origin: originOf(call.request) };
    const mailbox = await passkeys.prove(asserted, waiting?.id ?? null);
    if (mailbox === null) throw passkeyRefused();
    await waiting?.finish();
    return enter(call, { ...mailbox, passwordHash: waiting?.passwordHash ?? null });
  },
});
