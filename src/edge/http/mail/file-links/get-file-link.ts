import { FileLinkDetail } from '../../../../contract/mail/file-links.ts';
import { mailOperation } from '../operation.ts';

export const getFileLink = mailOperation({
  method: 'GET',
  path: '/mailboxes/{mailbox}/file-links/{id}',
  resource: { name: 'file link', prefix: 'lnk' },
  summary: 'A file link, and what was downloaded from it',
  success: { status: 200, description: 'The link.', body: FileLinkDetail },
  run: ({ services, mailbox, id }) => services.fileLinks.get(mailbox, id),
});
