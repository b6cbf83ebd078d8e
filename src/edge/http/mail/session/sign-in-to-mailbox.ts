import { MailSignIn, MailSignInAnswer } from '../../../../contract/mail/session.ts';
import { MAX_OF_BROWSER } from '../../../../mailboxes/sign-in/limits.ts';
import { AppError, validationError } from '../../../../model/app-error.ts';
import { clientOf } from '../../browser/client-of.ts';
import { tryLater } from '../../browser/try-later.ts';
import { mailTokenOf, setMailCookie } from '../cookies.ts';
import { mailOperation } from '../operation.ts';
import { accountOf } from './account-of.ts';
import { livingSessions } from './living.ts';

export const signInToMailbox = mailOperation({
  method: 'POST',
  path: '/session',
  summary: 'Sign in to a mailbox',
  description:
    'A wrong password and an unknown address have one answer, in the same time. App passwords are for mail apps alone. Mailboxes that the browser is signed in to already stay open.',
  body: MailSignIn,
  success: {
    status: 200,
    description: 'The session. Its cookie has the name of the mailbox.',
    body: MailSignInAnswer,
  },
  errors: ['sign-in-refused'],
  async run(call): Promise<MailSignInAnswer> {
    const { services, request, reply, isSecure, body } = call;
    if ((await livingSessions(call)).size >= MAX_OF_BROWSER)
      throw validationError({
        address: `this browser is signed in to ${MAX_OF_BROWSER} mailboxes already: sign out of one first`,
      });
    const client = clientOf(request);
    const proof = await services.signIn.prove(body.address, body.password, client.address);
    if (proof.outcome === 'try-later') throw tryLater(proof.afterSeconds);
    const begun = proof.outcome === 'proved' ? await services.signIn.enter(proof, client) : null;
    const session = begun === null ? null : await services.sessions.look(begun.token);
    if (begun === null || session === null)
      throw new AppError('sign-in-refused', 'The address or the password is wrong.');
    const { mailboxId } = session;
    // Whoever signs in again leaves nothing behind that could be used.
    const before = mailTokenOf(request, mailboxId, isSecure);
    const replaced = before === null ? null : await services.sessions.find(before);
    if (replaced?.mailboxId === mailboxId) await services.sessions.end(replaced, replaced.sessionId);
    setMailCookie(reply, mailboxId, begun.token, isSecure);
    return { account: accountOf(session, begun.token) };
  },
});
