import { MailFolder, RenameMailFolder } from '../../../../contract/mail/folders.ts';
import { mailOperation } from '../operation.ts';

export const renameMailFolder = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/folders/{id}',
  resource: { name: 'folder', prefix: 'fld' },
  summary: 'Rename a folder, and those within it',
  body: RenameMailFolder,
  success: { status: 200, description: 'The folder.', body: MailFolder },
  errors: ['already-exists'],
  run: ({ services, mailbox, id, body }) => services.folders.rename(mailbox, id, body.path),
});
