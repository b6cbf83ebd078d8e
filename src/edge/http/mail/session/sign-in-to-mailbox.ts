import { MailSignIn, MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { clientOf } from '../../browser/client-of.ts';
import { tryLater } from '../../browser/try-later.ts';
import { mailOperation } from '../operation.ts';
import { assertHasRoom, enter, refused } from './enter.ts';

export const signInToMailbox = mailOperation({
  method: 'POST',
  path: '/session',
  summary: 'Sign in to a mailbox',
  description:
    'A wrong password and an unknown address have one answer, in the same time. App passwords are for mail apps alone. Mailboxes that the browser is signed in to already stay open.',
  body: MailSignIn,
  success: {
    status: 200,
    description: 'The session, whose cookie has the name of the mailbox, or what comes next.',
    body: MailSignInAnswer,
  },
  errors: ['sign-in-refused'],
  async run(call): Promise<MailSignInAnswer> {
    const { services, request, body } = call;
    await assertHasRoom(call);
    const proof = await services.signIn.prove(body.address, body.password, clientOf(request).address);
    if (proof.outcome === 'try-later') throw tryLater(proof.afterSeconds);
    if (proof.outcome === 'refused') throw refused();
    const { passwordHash } = proof;
    const { projectId, mailboxId } = proof.account;
    const { second } = services.factors;
    const methods = await second.methods({ projectId, mailboxId });
    if (methods.length === 0) return enter(call, { projectId, mailboxId, passwordHash });
    const ticket = second.ticketFor({ projectId, mailboxId }, { passwordHash, by: 'password' });
    return { second_factor: { ticket, methods } };
  },
});
