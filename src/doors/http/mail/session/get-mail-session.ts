import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailAccounts } from '../../../../contract/mail/session.ts';
import { readMemberships } from '../../../../mailboxes/sharing/grants.ts';
import { readInboxUnread } from '../../../../webmail/list/folder-list.ts';
import { mailRun } from '../operation.ts';
import { accountOf, sharedAccountOf } from './account-of.ts';
import { liveSessions } from './live-sessions.ts';

export const getMailSession = mailRun(
  MAILBOX_ACCESS_OPERATIONS.getMailSession,
  async (call): Promise<MailAccounts> => {
    const sessions = await liveSessions(call);
    const since = sessions.size === 0 ? null : await call.services.notSendingSince();
    const accounts = Array.from(sessions, ([token, session]) => accountOf(session, token));
    const own = new Set(Array.from(sessions.values(), ({ mailboxId }) => mailboxId));
    const { database } = call.services.parts;
    for (const [token, session] of sessions) {
      const grants = await readMemberships(database, session);
      const unread = await readInboxUnread(database, session.projectId, grants);
      // A mailbox that the browser is also signed in to is opened as its owner.
      for (const grant of grants)
        if (!own.has(grant.mailboxId))
          accounts.push(sharedAccountOf(session, token, grant, unread.get(grant.mailboxId) ?? 0));
    }
    return {
      accounts,
      not_sending_since: since?.toISOString() ?? null,
    };
  },
);
