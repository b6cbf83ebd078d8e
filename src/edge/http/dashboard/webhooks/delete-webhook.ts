import { dashboardOperation } from '../operation.ts';

export const deleteWebhook = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/webhooks/{id}',
  role: 'developer',
  confirms: true,
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Delete a webhook with its log of deliveries',
  success: { status: 204, description: 'It is deleted.' },
  run: ({ services, projectId, id }) => services.webhooks.remove(projectId, id),
});
