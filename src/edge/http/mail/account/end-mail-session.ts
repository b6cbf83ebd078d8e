import { mailOperation } from '../operation.ts';

export const endMailSession = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/sessions/{id}',
  resource: { name: 'session', prefix: 'ses' },
  summary: 'Sign a browser out',
  success: { status: 204, description: 'Its session ends within two seconds.' },
  run: ({ services, mailbox, id }) => services.sessions.end(mailbox, id),
});
