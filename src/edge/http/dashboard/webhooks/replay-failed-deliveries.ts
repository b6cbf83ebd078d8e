import { ReplayFailed, WebhookReplay } from '../../../../contract/dashboard/webhooks.ts';
import { dashboardOperation } from '../operation.ts';
import { timeOrNull } from './time-or-null.ts';

export const replayFailedDeliveries = dashboardOperation({
  method: 'POST',
  path: '/projects/{project}/webhooks/{id}/replay',
  role: 'developer',
  resource: { name: 'webhook', prefix: 'wh' },
  summary: 'Send all that failed since a time again',
  description: 'In the background, a few at a time. While a replay goes on, that one is answered.',
  body: ReplayFailed,
  success: { status: 202, description: 'The replay.', body: WebhookReplay },
  errors: ['bad-request'],
  run: ({ services, projectId, id, body }) =>
    services.webhookPages.replayFailed({ projectId, webhookId: id }, timeOrNull(body.since)),
});
