import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { setMailCookie } from '../cookies.ts';
import { mailRun } from '../operation.ts';

export const signOutOfMailbox = mailRun(
  MAILBOX_ACCESS_OPERATIONS.signOutOfMailbox,
  async ({ services, mailbox, session, reply, isSecure }) => {
    await services.sessions.end(mailbox, session.sessionId);
    setMailCookie(reply, mailbox.mailboxId, null, isSecure);
  },
);
