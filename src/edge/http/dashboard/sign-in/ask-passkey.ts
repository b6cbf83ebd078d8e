import { AskPasskey, PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';
import { waitingFor } from '../../browser/waiting-for.ts';

export const askPasskey = dashboardOperation({
  method: 'POST',
  path: '/session/passkey-question',
  role: 'anyone',
  summary: 'Begin to sign in with a passkey',
  body: AskPasskey,
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  errors: ['sign-in-refused'],
  async run(call) {
    const { ticket } = call.body;
    const userId = ticket === undefined ? null : (await waitingFor(call.services.factors.second, ticket)).id;
    return call.services.factors.passkeys.startProving(userId);
  },
});
