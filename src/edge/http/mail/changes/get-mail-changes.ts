import { MailChanges, MailChangesQuery } from '../../../../contract/mail/changes.ts';
import { mailOperation } from '../operation.ts';

export const getMailChanges = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/changes',
  summary: 'What has happened since a list was read',
  query: MailChangesQuery,
  success: { status: 200, description: 'The changes.', body: MailChanges },
  run: ({ services, mailbox, query }) => services.lists.changes(mailbox, query.since),
});
