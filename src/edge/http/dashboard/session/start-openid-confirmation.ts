import { StartedOpenId, StartOpenId } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';
import { openIdOf } from '../sign-in/openid-of.ts';

export const startOpenIdConfirmation = dashboardOperation({
  method: 'POST',
  path: '/session/confirmation/openid/start',
  role: 'signed-in',
  serves: 'session',
  summary: 'Begin to say again who sits there, at the OpenID provider',
  body: StartOpenId,
  success: { status: 200, description: 'Where the browser goes.', body: StartedOpenId },
  errors: ['not-found'],
  run: ({ services, principal, body }) =>
    openIdOf(services).start({ returnTo: body.return_to, confirms: principal.sessionId }),
});
