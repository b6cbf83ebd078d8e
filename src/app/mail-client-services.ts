/** What the web client is served: the parts of the core, built once for a process. No logic. */
import type { Database } from '../db/database.ts';
import type { MailClientServices } from '../edge/http/mail/services.ts';
import type { SignIn } from '../mailboxes/sign-in/sign-in.ts';
import { endWebSession, WebSessions } from '../mailboxes/sign-in/web-sessions.ts';
import { WebSignIn } from '../mailboxes/sign-in/web-sign-in.ts';

export interface MailClientServicesOptions {
  database: Database;
  signIn: SignIn;
}

export function createMailClientServices({
  database,
  signIn,
}: MailClientServicesOptions): MailClientServices {
  const sessions = new WebSessions(database);
  return {
    signIn: new WebSignIn(database, signIn),
    sessions: {
      find: (token) => sessions.find(token),
      look: (token) => sessions.look(token),
      end: (...session) => endWebSession(database, ...session),
    },
  };
}
