import { ChangeFileLink, FileLink } from '../../../../contract/mail/file-links.ts';
import { mailOperation } from '../operation.ts';

export const changeFileLink = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/file-links/{id}',
  resource: { name: 'file link', prefix: 'lnk' },
  summary: 'Change until when, how often and with which password a link works',
  description: 'What is left out stays as it is.',
  body: ChangeFileLink,
  success: { status: 200, description: 'The link as it is now.', body: FileLink },
  run: ({ services, mailbox, id, body }) => services.fileLinks.change(mailbox, id, body),
});
