import { UpdateUser } from '../../../../contract/dashboard/users.ts';
import { dashboardOperation } from '../operation.ts';

export const updateUser = dashboardOperation({
  method: 'PATCH',
  path: '/user',
  role: 'signed-in',
  summary: 'Change the name that others see',
  body: UpdateUser,
  success: { status: 204, description: 'It is changed.' },
  run: ({ services, principal, body }) => services.user.rename(principal.userId, body.name),
});
