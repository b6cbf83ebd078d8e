import { CONFIRMED_MS } from '../../../../accounts/limits.ts';
import { ConfirmSession } from '../../../../contract/dashboard/factors.ts';
import { Confirmation } from '../../../../contract/dashboard/users.ts';
import * as clock from '../../../../model/clock.ts';
import { acceptCode } from '../../browser/accept-code.ts';
import { clientOf } from '../../browser/client-of.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRefused } from '../../browser/passkey-refused.ts';
import { mailOperation } from '../operation.ts';
import { proveOwnPassword } from './prove-own-password.ts';

export const confirmMailSession = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/session/confirmation',
  summary: 'Say again who sits there',
  description:
    'With the password, a code of the app or a passkey. What answers `confirmation-required` then works for ten minutes.',
  body: ConfirmSession,
  success: { status: 200, description: 'It is the owner.', body: Confirmation },
  errors: ['sign-in-refused'],
  async run(call) {
    const { services, mailbox, session, body, request } = call;
    const { second, passkeys } = services.factors;
    const { password, code, passkey } = body;
    if (password !== undefined) await proveOwnPassword(call, password);
    if (code !== undefined) {
      const { address } = clientOf(request);
      acceptCode(await second.proveCode({ id: mailbox, code, address, takesRecoveryCodes: false }));
    }
    if (passkey !== undefined) {
      const asserted = { ...passkey, origin: originOf(request) };
      if ((await passkeys.prove(asserted, mailbox)) === null) throw passkeyRefused();
    }
    await services.sessions.confirm(session);
    return { confirmed_until: new Date(clock.nowMs() + CONFIRMED_MS).toISOString() };
  },
});
