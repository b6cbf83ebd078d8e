import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { originOf } from '../../browser/origin-of.ts';
import { passkeyRejected } from '../../browser/passkey-rejected.ts';
import { waitingFor } from '../../../../accounts/factors/waiting-for.ts';
import { mailRun } from '../operation.ts';
import { assertMaySignInToMore, enter } from './enter.ts';

export const proveMailPasskey = mailRun(
  MAILBOX_ACCESS_OPERATIONS.proveMailPasskey,
  async (call): Promise<MailSignInAnswer> => {
    const { second, passkeys } = call.services.parts.mailboxFactors;
    const { ticket, response, second_factor_ticket: first } = call.body;
    await assertMaySignInToMore(call);
    const waiting = first === undefined ? null : await waitingFor(second, first);
    const asserted = { ticket, response, origin: originOf(call.request) };
    const mailbox = await passkeys.prove(asserted, waiting?.id ?? null);
    if (mailbox === null) throw passkeyRejected();
    await waiting?.finish();
    return enter(call, { ...mailbox, passwordHash: waiting?.passwordHash ?? null });
  },
);
