import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { pendingSignIn } from '../../../../accounts/factors/pending-sign-in.ts';
import { mailRun } from '../operation.ts';
import { assertMaySignInToMore, startSession } from './start-session.ts';

export const proveMailPasskey = mailRun(
  MAILBOX_ACCESS_OPERATIONS.proveMailPasskey,
  async (call): Promise<MailSignInAnswer> => {
    const { second, passkeys } = call.services.parts.mailboxFactors;
    const { ticket, response, second_factor_ticket: first } = call.body;
    await assertMaySignInToMore(call);
    const pending = first === undefined ? null : await pendingSignIn(second, first);
    const asserted = { ticket, response, origin: originOf(call.request) };
    const mailbox = await passkeys.prove(asserted, pending?.id ?? null);
    if (mailbox === null) throw passkeyRejected();
    await pending?.finish();
    return startSession(call, { ...mailbox, passwordHash: pending?.passwordHash ?? null });
  },
);
