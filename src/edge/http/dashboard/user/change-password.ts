import { changePassword as changeOwnPassword } from '../../../../accounts/own-user.ts';
import { ChangePassword } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';
import { prove } from '../session/prove.ts';

export const changePassword = dashboardOperation({
  method: 'PUT',
  path: '/user/password',
  role: 'signed-in',
  summary: 'Change the password',
  body: ChangePassword,
  success: { status: 204, description: 'It is changed. All other sessions end.' },
  errors: ['sign-in-refused'],
  async run(call) {
    const { services, principal, body } = call;
    await prove(call, principal.email, body.current_password);
    await changeOwnPassword(services.parts.database, principal, body.password);
  },
});
