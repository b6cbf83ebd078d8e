/** What the web client asks of the core about how a mailbox is opened. */
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
  /** `stay` keeps a mailbox open for what does not end with an answer. */
  readonly signIn: Pick<WebSignIn, 'prove' | 'enter'> & Pick<SignIn, 'stay'>;
  /** Who a token belongs to, and its end. */
  readonly sessions: Pick<WebSessions, 'find' | 'look'> & {
    end: Bound<typeof endWebSession>;
    confirm: Bound<typeof confirmWebSession>;
  };
  readonly account: {
    changePassword: Bound<typeof changeOwnPassword>;
  };
}
