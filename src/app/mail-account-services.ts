/** What the web client is served of how a mailbox is opened. No logic. */
import type { MailAccountServices } from '../doors/http/mail/account-services.ts';
import { changeOwnPassword } from '../mailboxes/sign-in/own-password.ts';
import type { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { confirmWebSession, endWebSession, WebSessions } from '../mailboxes/sign-in/web-sessions.ts';
import { WebSignIn } from '../mailboxes/sign-in/web-sign-in.ts';
import type { Core } from './core.ts';

export function createMailAccountServices({ database }: Core, signIn: SignIn): MailAccountServices {
  const sessions = new WebSessions(database);
  const webSignIn = new WebSignIn(database, signIn);
  return {
    signIn: {
      prove: (...attempt) => webSignIn.prove(...attempt),
      enter: (...proved) => webSignIn.enter(...proved),
      stay: (...session) => signIn.stay(...session),
    },
    sessions: {
      find: (token) => sessions.find(token),
      look: (token) => sessions.look(token),
      end: (...session) => endWebSession(database, ...session),
      confirm: (...session) => confirmWebSession(database, ...session),
    },
    account: {
      changePassword: (...change) => changeOwnPassword(database, ...change),
    },
  };
}
