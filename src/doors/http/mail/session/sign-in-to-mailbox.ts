import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { clientOf } from '../../browser/client-of.ts';
import { tryLater } from '../../browser/try-later.ts';
import { mailRun } from '../operation.ts';
import { assertMaySignInToMore, startSession, signInRejected } from './start-session.ts';

export const signInToMailbox = mailRun(
  MAILBOX_ACCESS_OPERATIONS.signInToMailbox,
  async (call): Promise<MailSignInAnswer> => {
    const { services, request, body } = call;
    await assertMaySignInToMore(call);
    const proof = await services.signIn.prove(body.address, body.password, clientOf(request).address);
    if (proof.outcome === 'try-later') throw tryLater(proof.afterSeconds);
    if (proof.outcome === 'refused') throw signInRejected();
    const { passwordHash } = proof;
    const { projectId, mailboxId } = proof.account;
    const { second } = services.parts.mailboxFactors;
    const methods = await second.methods({ projectId, mailboxId });
    if (methods.length === 0) return startSession(call, { projectId, mailboxId, passwordHash });
    const ticket = second.ticketFor({ projectId, mailboxId }, { passwordHash, by: 'password' });
    return { second_factor: { ticket, methods } };
  },
);
