import { dashboardOperation } from '../operation.ts';

export const deleteOperatorMessage = dashboardOperation({
  method: 'DELETE',
  path: '/system/operator-mail/{id}',
  resource: { name: 'message', prefix: 'opm' },
  role: 'operator',
  summary: 'Delete a message to the operators',
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, id }) => services.system.deleteOperatorMail(id),
});
