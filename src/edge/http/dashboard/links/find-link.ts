import { FindLink, SignInLink } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';

export const findLink = dashboardOperation({
  method: 'POST',
  path: '/links',
  role: 'anyone',
  summary: 'Tell what a link is for',
  description: 'The token is posted, since addresses of requests are in logs. The link is not used up.',
  body: FindLink,
  success: { status: 200, description: 'The link works.', body: SignInLink },
  errors: ['not-found'],
  run: ({ services, body }) => services.links.describe(body.token),
});
