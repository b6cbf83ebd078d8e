import { WebhookReplay } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const stopWebhookReplay = dashboardOperation({
  method: 'DELETE',
  path: '/projects/{project}/webhooks/{id}/replay',
  role: 'developer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Stop a replay',
  description: 'What was not begun stays failed.',
  success: { status: 200, description: 'The replay as it ended.', body: WebhookReplay },
  run: ({ services, projectId, id }) => services.webhookPages.stopReplay({ projectId, webhookId: id }),
});
