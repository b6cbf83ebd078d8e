import { PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';

export const startPasskey = dashboardOperation({
  method: 'POST',
  path: '/user/passkeys/question',
  role: 'signed-in',
  serves: 'second-factor',
  confirms: true,
  summary: 'Begin to add a passkey',
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  run: ({ services, principal }) => services.factors.passkeys.startAdding(principal.userId, principal),
});
