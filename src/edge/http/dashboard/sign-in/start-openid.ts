import { StartedOpenId, StartOpenId } from '../../../../contract/dashboard/factors.ts';
import { dashboardOperation } from '../operation.ts';
import { openIdOf } from './openid-of.ts';

export const startOpenId = dashboardOperation({
  method: 'POST',
  path: '/session/openid/start',
  role: 'anyone',
  summary: 'Begin to sign in with the OpenID provider',
  description: 'The page keeps the ticket: without it what the provider says is worth nothing.',
  body: StartOpenId,
  success: { status: 200, description: 'Where the browser goes.', body: StartedOpenId },
  errors: ['not-found'],
  run: ({ services, body }) => openIdOf(services).start({ returnTo: body.return_to, confirms: null }),
});
