import { setMailCookie } from '../cookies.ts';
import { mailOperation } from '../operation.ts';

export const signOutOfMailbox = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/session',
  summary: 'Sign out of a mailbox',
  success: { status: 204, description: 'The session has ended. Those of other mailboxes go on.' },
  async run({ services, mailbox, session, reply, isSecure }) {
    await services.sessions.end(mailbox, session.sessionId);
    setMailCookie(reply, mailbox.mailboxId, null, isSecure);
  },
});
