import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailAccounts } from '../../../../contract/mail/session.ts';
import { mailRun } from '../operation.ts';
import { accountOf } from './account-of.ts';
import { liveSessions } from './live-sessions.ts';

export const getMailSession = mailRun(
  MAILBOX_ACCESS_OPERATIONS.getMailSession,
  async (call): Promise<MailAccounts> => {
    const sessions = await liveSessions(call);
    const since = sessions.size === 0 ? null : await call.services.notSendingSince();
    return {
      accounts: Array.from(sessions, ([token, session]) => accountOf(session, token)),
      not_sending_since: since?.toISOString() ?? null,
    };
  },
);
