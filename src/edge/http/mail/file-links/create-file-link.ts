import { CreateFileLink, FileLink } from '../../../../contract/mail/file-links.ts';
import { mailOperation } from '../operation.ts';

export const createFileLink = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/file-links',
  summary: 'Make a link of files',
  description: 'The files may still be on their way: whoever opens the link meanwhile is told so.',
  body: CreateFileLink,
  success: { status: 201, description: 'The link.', body: FileLink },
  run: ({ services, mailbox, body }) => services.fileLinks.create(mailbox, body),
});
