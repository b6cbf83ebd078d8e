import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { CONFIRMED_MS } from '../../../../accounts/limits.ts';
import * as clock from '../../../../model/clock.ts';
import { assertCodeAccepted } from '../../browser/assert-code-accepted.ts';
import { clientOf } from '../../browser/client-of.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { mailRun } from '../operation.ts';
import { proveOwnPassword } from './prove-own-password.ts';

export const confirmMailSession = mailRun(MAILBOX_ACCESS_OPERATIONS.confirmMailSession, async (call) => {
  const { services, mailbox, session, body, request } = call;
  const { second, passkeys } = services.parts.mailboxFactors;
  const { password, code, passkey } = body;
  if (password !== undefined) await proveOwnPassword(call, password);
  if (code !== undefined) {
    const { address } = clientOf(request);
    assertCodeAccepted(await second.proveCode({ id: mailbox, code, address, takesRecoveryCodes: false }));
  }
  if (passkey !== undefined) {
    const asserted = { ...passkey, origin: originOf(request) };
    if ((await passkeys.prove(asserted, mailbox)) === null) throw passkeyRejected();
  }
  await services.sessions.confirm(session);
  return { confirmed_until: new Date(clock.nowMs() + CONFIRMED_MS).toISOString() };
});
