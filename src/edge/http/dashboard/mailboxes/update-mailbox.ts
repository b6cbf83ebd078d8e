import { ChangeMailbox, DashboardMailbox } from '../../../../contract/dashboard/mailboxes.ts';
import { dashboardOperation } from '../operation.ts';

export const updateMailbox = dashboardOperation({
  method: 'PATCH',
  path: '/projects/{project}/mailboxes/{id}',
  role: 'developer',
  // Attack: as with `createMailbox`.
  elevated: { role: 'admin', field: 'is_catch_all', by: (body) => body['is_catch_all'] !== undefined },
  resource: { name: 'mailbox', prefix: 'mbx' },
  summary: 'Change settings of a mailbox',
  body: ChangeMailbox,
  success: { status: 200, description: 'The mailbox.', body: DashboardMailbox },
  run: async ({ services, projectId, id, body }) => {
    if ((await services.mailboxes.update(projectId, id, body)) === null) return null;
    return services.mailboxPages.get(projectId, id);
  },
});
