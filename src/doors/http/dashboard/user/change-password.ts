import { ACCOUNT_OPERATIONS } from '../../../../accounts/operations.ts';
import { changePassword as changeOwnPassword } from '../../../../accounts/own-user.ts';
import { dashboardRun } from '../operation.ts';
import { prove } from '../session/prove.ts';

export const changePassword = dashboardRun(ACCOUNT_OPERATIONS.changePassword, async (call) => {
  const { services, principal, body } = call;
  await prove(call, principal.email, body.current_password);
  await changeOwnPassword(services.parts.database, principal, body.password);
});
