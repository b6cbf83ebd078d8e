import { OperatorMessage } from '../../../../contract/dashboard/operator-mail.ts';
import { dashboardOperation } from '../operation.ts';

export const getOperatorMessage = dashboardOperation({
  method: 'GET',
  path: '/system/operator-mail/{id}',
  resource: { name: 'message', prefix: 'opm' },
  role: 'operator',
  summary: 'Show a message to the operators as plain text',
  success: { status: 200, description: 'The message.', body: OperatorMessage },
  run: ({ services, id }) => services.system.operatorMessage(id),
});
