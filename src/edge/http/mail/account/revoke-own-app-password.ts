import { mailOperation } from '../operation.ts';

export const revokeOwnAppPassword = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/app-passwords/{id}',
  resource: { name: 'app password', prefix: 'app' },
  summary: 'Revoke an app password',
  success: { status: 204, description: 'It is revoked. What it opened ends within two seconds.' },
  run: ({ services, mailbox, id }) => services.appPasswords.revoke(mailbox, id),
});
