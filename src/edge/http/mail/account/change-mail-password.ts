import { ChangeMailPassword } from '../../../../contract/mail/account.ts';
import { mailOperation } from '../operation.ts';
import { proveOwnPassword } from '../session/prove-own-password.ts';

export const changeMailPassword = mailOperation({
  method: 'PUT',
  path: '/mailboxes/{mailbox}/password',
  confirms: true,
  summary: 'Change the password of the mailbox',
  description: 'Mail apps that have the old one are signed out too. App passwords go on working.',
  body: ChangeMailPassword,
  success: { status: 204, description: 'It is changed. All other sessions end within two seconds.' },
  errors: ['sign-in-refused'],
  async run(call) {
    const { services, session, body } = call;
    const provedHash = await proveOwnPassword(call, body.current_password);
    await services.account.changePassword(session, { password: body.password, provedHash });
  },
});
