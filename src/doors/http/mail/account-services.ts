/** The parts of the core with which users sign in to a mailbox in the web client. */
import type { changeOwnPassword } from '../../../mailboxes/sign-in/own-password.ts';
import type { SignIn } from '../../../mailboxes/sign-in/sign-in.ts';
import type {
  confirmWebSession,
  endWebSession,
  WebSessions,
} from '../../../mailboxes/sign-in/web-sessions.ts';
import type { WebSignIn } from '../../../mailboxes/sign-in/web-sign-in.ts';
import type { Bound } from '../bound.ts';

export interface MailAccountServices {
  /** `stay` keeps a mailbox open for requests that outlive their response, such as event streams. */
  readonly signIn: Pick<WebSignIn, 'prove' | 'enter'> & Pick<SignIn, 'stay'>;
  /** Finds the session of a token, and ends sessions. */
  readonly sessions: Pick<WebSessions, 'find' | 'lookUp'> & {
    end: Bound<typeof endWebSession>;
    confirm: Bound<typeof confirmWebSession>;
  };
  readonly account: {
    changePassword: Bound<typeof changeOwnPassword>;
  };
}
