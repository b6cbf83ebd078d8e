import { confirmSession } from '../../../../accounts/sessions.ts';
import { FinishedOpenId, FinishOpenId } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';
import { openIdOf } from '../sign-in/openid-of.ts';

export const finishOpenIdConfirmation = dashboardOperation({
  method: 'POST',
  path: '/session/confirmation/openid',
  role: 'signed-in',
  serves: 'session',
  summary: 'Say again who sits there, with what the OpenID provider says',
  body: FinishOpenId,
  success: { status: 200, description: 'It is the user.', body: FinishedOpenId },
  errors: ['sign-in-refused', 'not-found'],
  async run({ services, principal, body }) {
    const { ticket, query } = body;
    const returnTo = await openIdOf(services).confirm(ticket, query, principal);
    await confirmSession(services.parts.database, principal, { withOpenid: true });
    return { next: 'done', return_to: returnTo };
  },
});
