import { NewTotp } from '../../../../contract/dashboard/factors.ts';
import { totpAnswer } from '../../browser/totp-answer.ts';
import { dashboardOperation } from '../operation.ts';

export const startTotp = dashboardOperation({
  method: 'POST',
  path: '/user/authenticator-app',
  role: 'signed-in',
  serves: 'second-factor',
  confirms: true,
  summary: 'Begin to set up an authenticator app',
  description: 'It counts once a code of it was typed.',
  success: { status: 200, description: 'A secret, as a picture and as text.', body: NewTotp },
  async run({ services, principal }) {
    return totpAnswer(await services.factors.second.startTotp(principal.userId, principal.email));
  },
});
