import { mailOperation } from '../operation.ts';

export const deleteMailFolder = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/folders/{id}',
  resource: { name: 'folder', prefix: 'fld' },
  summary: 'Delete a folder with all mail in it, for ever',
  description: 'Folders within it stay.',
  success: { status: 204, description: 'It is gone.' },
  run: ({ services, mailbox, id }) => services.folders.delete(mailbox, id),
});
