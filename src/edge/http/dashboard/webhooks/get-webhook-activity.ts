import { ActivityQuery, WebhookActivity } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const getWebhookActivity = dashboardOperation({
  method: 'GET',
  path: '/projects/{project}/webhooks/{id}/activity',
  role: 'viewer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Count the attempts of a webhook by hour or day',
  query: ActivityQuery,
  success: { status: 200, description: 'The counts.', body: WebhookActivity },
  run: ({ services, projectId, id, query }) =>
    services.webhookPages.activity({ projectId, webhookId: id }, query.span),
});
