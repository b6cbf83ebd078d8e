import { AskPasskey, PasskeyQuestion } from '../../../../contract/dashboard/factors.ts';
import { waitingFor } from '../../browser/waiting-for.ts';
import { mailOperation } from '../operation.ts';

export const askMailPasskey = mailOperation({
  method: 'POST',
  path: '/session/passkey-question',
  summary: 'Begin to sign in to a mailbox with a passkey',
  body: AskPasskey,
  success: { status: 200, description: 'What to ask the browser.', body: PasskeyQuestion },
  errors: ['sign-in-refused'],
  async run({ services, body: { ticket } }) {
    const { second, passkeys } = services.factors;
    return passkeys.startProving(ticket === undefined ? null : (await waitingFor(second, ticket)).id);
  },
});
