import { PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { mailOperation } from '../operation.ts';

export const askMailConfirmationPasskey = mailOperation({
  method: 'POST',
  path: '/mailboxes/{mailbox}/session/confirmation/passkey-question',
  summary: 'Begin to say again who sits there, with a passkey',
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  run: ({ services, mailbox }) => services.factors.passkeys.startProving(mailbox),
});
