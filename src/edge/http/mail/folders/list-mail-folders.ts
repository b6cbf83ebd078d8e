import { MailFolderList } from '../../../../contract/mail/folders.ts';
import { mailOperation } from '../operation.ts';

export const listMailFolders = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/folders',
  summary: 'All folders with what they hold, and the quota',
  success: { status: 200, description: 'The folders.', body: MailFolderList },
  run: ({ services, mailbox }) => services.lists.folders(mailbox),
});
