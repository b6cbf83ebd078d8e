import { MAILBOX_ACCESS_OPERATIONS } from '../../../../mailboxes/sign-in/operations.ts';
import { mailRun } from '../operation.ts';
import { proveOwnPassword } from '../session/prove-own-password.ts';

export const changeMailPassword = mailRun(MAILBOX_ACCESS_OPERATIONS.changeMailPassword, async (call) => {
  const { services, session, body } = call;
  const provedHash = await proveOwnPassword(call, body.current_password);
  await services.account.changePassword(session, { password: body.password, provedHash });
});
