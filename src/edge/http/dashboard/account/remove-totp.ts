import { AppError } from '../../../../model/app-error.ts';
import { dashboardOperation } from '../operation.ts';

export const removeTotp = dashboardOperation({
  method: 'DELETE',
  path: '/user/authenticator-app',
  role: 'signed-in',
  confirms: true,
  summary: 'Remove the authenticator app',
  success: { status: 204, description: 'Its codes are not asked for any more.' },
  errors: ['not-found'],
  async run({ services, principal }) {
    if (await services.factors.second.removeTotp(principal.userId)) return;
    throw new AppError('not-found', 'No authenticator app is set up.');
  },
});
