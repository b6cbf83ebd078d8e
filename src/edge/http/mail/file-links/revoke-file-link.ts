import { mailOperation } from '../operation.ts';

export const revokeFileLink = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/file-links/{id}',
  resource: { name: 'file link', prefix: 'lnk' },
  summary: 'Revoke a link',
  description:
    'Nobody downloads from it any more, and its files are deleted. One that is over already stays so.',
  success: { status: 204, description: 'It is revoked.' },
  run: ({ services, mailbox, id }) => services.fileLinks.revoke(mailbox, id),
});
