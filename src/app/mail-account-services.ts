/** What the web client is served of how a mailbox is opened. No logic. */
import { Passkeys } from '../accounts/factors/passkeys.ts';
import { SecondFactors } from '../accounts/factors/second-factors.ts';
import { Tickets } from '../accounts/factors/tickets.ts';
import type { MailAccountServices } from '../edge/http/mail/account-services.ts';
import {
  createAppPassword,
  listAppPasswords,
  revokeAppPassword,
} from '../mailboxes/sign-in/app-passwords.ts';
import { MAILBOXES } from '../mailboxes/sign-in/mailbox-realm.ts';
import { describeOwnAccount, endOtherSessions, listOwnSessions } from '../mailboxes/sign-in/own-account.ts';
import { changeOwnPassword } from '../mailboxes/sign-in/own-password.ts';
import type { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { confirmWebSession, endWebSession, WebSessions } from '../mailboxes/sign-in/web-sessions.ts';
import { WebSignIn } from '../mailboxes/sign-in/web-sign-in.ts';
import type { Core } from './core.ts';

export function createMailAccountServices(
  { database, sealer, logger, mailUrl }: Core,
  signIn: SignIn,
): MailAccountServices {
  const sessions = new WebSessions(database);
  const webSignIn = new WebSignIn(database, signIn);
  const tickets = new Tickets(database, sealer, 'web');
  const shared = { realm: MAILBOXES, database, tickets };
  const passkeys = new Passkeys({ ...shared, baseUrl: mailUrl });
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
      endOthers: (...session) => endOtherSessions(database, ...session),
      confirm: (...session) => confirmWebSession(database, ...session),
      list: (...session) => listOwnSessions(database, ...session),
    },
    factors: { second: new SecondFactors({ ...shared, sealer, logger }), passkeys },
    account: {
      describe: async (session) => ({
        ...(await describeOwnAccount({ database, passkeys }, session)),
        passkeys_at: new URL(mailUrl()).origin,
      }),
      changePassword: (...change) => changeOwnPassword(database, ...change),
    },
    appPasswords: {
      list: (...mailbox) => listAppPasswords(database, ...mailbox),
      create: (...made) => createAppPassword(database, ...made),
      revoke: (...revoked) => revokeAppPassword(database, ...revoked),
    },
  };
}
