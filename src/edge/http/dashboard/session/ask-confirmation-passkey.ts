import { PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const askConfirmationPasskey = dashboardOperation({
  method: 'POST',
  path: '/session/confirmation/passkey-question',
  role: 'signed-in',
  serves: 'session',
  summary: 'Begin to say again who sits there, with a passkey',
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  run: ({ services, principal }) => services.factors.passkeys.startProving(principal.userId),
});
