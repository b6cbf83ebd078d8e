import { mailOperation } from '../operation.ts';

export const removeMailPasskey = mailOperation({
  method: 'DELETE',
  path: '/mailboxes/{mailbox}/passkeys/{id}',
  confirms: true,
  resource: { name: 'passkey', prefix: 'psk' },
  summary: 'Remove a passkey',
  success: { status: 204, description: 'It opens nothing any more.' },
  run: ({ services, mailbox, id }) => services.factors.passkeys.remove(mailbox, id),
});
