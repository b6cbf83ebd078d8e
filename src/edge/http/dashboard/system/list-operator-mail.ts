import { OperatorMail } from '../../../../contract/dashboard/operator-mail.ts';
import { dashboardOperation } from '../operation.ts';

export const listOperatorMail = dashboardOperation({
  method: 'GET',
  path: '/system/operator-mail',
  role: 'operator',
  summary: 'List mail to postmaster and abuse that no mailbox gets',
  success: { status: 200, description: 'The messages.', body: OperatorMail },
  run: ({ services }) => services.system.operatorMail(),
});
