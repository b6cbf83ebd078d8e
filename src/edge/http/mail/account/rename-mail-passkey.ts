import { RenamePasskey } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';

export const renameMailPasskey = mailOperation({
  method: 'PATCH',
  path: '/mailboxes/{mailbox}/passkeys/{id}',
  resource: { name: 'passkey', prefix: 'psk' },
  summary: 'Call a passkey something else',
  body: RenamePasskey,
  success: { status: 204, description: 'It has the name.' },
  run: ({ services, mailbox, id, body }) => services.factors.passkeys.rename(mailbox, id, body.name),
});
