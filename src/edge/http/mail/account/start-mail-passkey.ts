import { PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';

export const startMailPasskey = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/passkeys/question',
  confirms: true,
  summary: 'Begin to add a passkey',
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  run: ({ services, mailbox, session: { address, displayName } }) =>
    services.factors.passkeys.startAdding(mailbox, { email: address, name: displayName ?? address }),
});
