import { FileLinkList, FileLinkQuery } from '../../../../contract/mail/file-links.ts';
import { mailOperation } from '../operation.ts';

export const listFileLinks = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/file-links',
  query: FileLinkQuery,
  summary: 'The file links of the mailbox',
  success: { status: 200, description: 'A page of them.', body: FileLinkList },
  run: ({ services, mailbox, query }) => services.fileLinks.list(mailbox, query.cursor ?? null),
});
