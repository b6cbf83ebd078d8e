import { DashboardWebhookList } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const listWebhooks = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks',
  role: 'viewer',
  summary: 'Webhooks of a project, with their attempts of the last day',
  success: { status: 200, description: 'The webhooks.', body: DashboardWebhookList },
  run: ({ services, projectId }) => services.webhookPages.list(projectId),
});
