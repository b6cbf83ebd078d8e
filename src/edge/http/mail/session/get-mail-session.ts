import { MailAccounts } from '../../../../contract/mail/session.ts';
import { mailOperation } from '../operation.ts';
import { accountOf } from './account-of.ts';
import { livingSessions } from './living.ts';

export const getMailSession = mailOperation({
  method: 'GET',
  path: '/session',
  summary: 'Tell which mailboxes this browser is signed in to',
  success: { status: 200, description: 'The mailboxes, of which there may be none.', body: MailAccounts },
  async run(call): Promise<MailAccounts> {
    const sessions = await livingSessions(call);
    const since = sessions.size === 0 ? null : await call.services.notSendingSince();
    return {
      accounts: Array.from(sessions, ([token, session]) => accountOf(session, token)),
      not_sending_since: since?.toISOString() ?? null,
    };
  },
});
