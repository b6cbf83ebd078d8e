import { CreateMailFolder, MailFolder } from '../../../../contract/mail/folders.ts';
import { mailOperation } from '../operation.ts';

export const createMailFolder = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/folders',
  summary: 'Make a folder',
  body: CreateMailFolder,
  success: { status: 201, description: 'The folder.', body: MailFolder },
  errors: ['already-exists'],
  run: ({ services, mailbox, body }) => services.folders.create(mailbox, body.path),
});
