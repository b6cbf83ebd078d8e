/** The parts of the core that sign users in to a mailbox of the web client. */
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
  /** `openForWebSession` keeps a mailbox open for a response without an end, such as an event stream. */
  readonly signIn: Pick<WebSignIn, 'prove' | 'enter'> & Pick<SignIn, 'openForWebSession'>;
  /** `find` and `lookUp` find the session of a token. `end` ends a session. */
  readonly sessions: Pick<WebSessions, 'find' | 'lookUp'> & {
    end: Bound<typeof endWebSession>;
    confirm: Bound<typeof confirmWebSession>;
  };
  readonly account: {
    changePassword: Bound<typeof changeOwnPassword>;
  };
}
