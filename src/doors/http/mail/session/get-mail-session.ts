import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import type { MailAccount, MailAccounts } from '../../../../contract/mail/session.ts';
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
    const accounts = new Map<string, MailAccount>();
    for (const [token, session] of sessions) accounts.set(session.mailboxId, accountOf(session, token));
    const { database } = call.services.parts;
    for (const [token, session] of sessions) {
      const grants = await readMemberships(database, session);
      const unread = await readInboxUnread(database, session.projectId, grants);
      for (const grant of grants) {
        const before = accounts.get(grant.mailboxId);
        // If the browser is also signed in to the mailbox itself, or to another member with more access, that access is used.
        if (before === undefined || (before.shared?.access === 'read' && grant.access === 'write'))
          accounts.set(
            grant.mailboxId,
            sharedAccountOf(session, token, grant, unread.get(grant.mailboxId) ?? 0),
          );
      }
    }
    return {
      accounts: [...accounts.values()],
      not_sending_since: since?.toISOString() ?? null,
    };
  },
);
