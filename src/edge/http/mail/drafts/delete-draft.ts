import { mailOperation } from '../operation.ts';

export const deleteDraft = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/drafts/{id}',
  resource: { name: 'draft', prefix: 'msg' },
  summary: 'Delete a draft for ever',
  success: { status: 204, description: 'It is gone.' },
  run: ({ services, mailbox, id }) => services.drafts.remove(mailbox, id),
});
