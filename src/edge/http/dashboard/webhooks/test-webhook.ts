import { WebhookTest } from '../../../../contract/webhooks.ts';
import { dashboardOperation } from '../operation.ts';

export const testWebhook = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/test',
  role: 'developer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Send a test event',
  description:
    'Once, at once, to a paused webhook too. The answer is that of the receiver: 10 seconds at most.',
  success: { status: 200, description: 'What the receiver answered, success or not.', body: WebhookTest },
  run: ({ services, projectId, id }) => services.webhooks.test(projectId, id),
});
