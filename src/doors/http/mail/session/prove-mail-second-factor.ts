import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { assertCodeAccepted } from '../../browser/assert-code-accepted.ts';
import { clientOf } from '../../browser/client-of.ts';
import { pendingSignIn } from '../../../../accounts/factors/pending-sign-in.ts';
import { mailRun } from '../operation.ts';
import { startSession } from './start-session.ts';

export const proveMailSecondFactor = mailRun(
  MAILBOX_ACCESS_OPERATIONS.proveMailSecondFactor,
  async (call): Promise<MailSignInAnswer> => {
    const { second } = call.services.parts.mailboxFactors;
    const { ticket, code } = call.body;
    const { id, passwordHash, finish } = await pendingSignIn(second, ticket);
    const { address } = clientOf(call.request);
    assertCodeAccepted(await second.proveCode({ id, code, address, takesRecoveryCodes: true }));
    await finish();
    return startSession(call, { ...id, passwordHash });
  },
);
