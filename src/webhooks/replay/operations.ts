/** Operations that deliver again what failed. `run.ts` implements them. */
import {
  DeliveryDetail,
  FailedDeliveries,
  FailedQuery,
  ReplayFailed,
  WebhookReplay,
} from '../../contract/dashboard/webhooks.ts';
import { declare } from '../../contract/operation.ts';

export const WEBHOOK_REPLAY_OPERATIONS = {
  replayWebhookDelivery: declare({
    summary: 'Send a failed delivery again',
    description: 'With all its attempts anew. One that waits is left as it is.',
    success: { status: 200, description: 'The delivery, which waits now.', body: DeliveryDetail },
    errors: ['bad-request'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/deliveries/{part}/replay',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
        part: { name: 'delivery', prefix: 'dlv' },
      },
    },
  }),
  countFailedDeliveries: declare({
    summary: 'Count what a replay would send again',
    query: FailedQuery,
    success: { status: 200, description: 'The count.', body: FailedDeliveries },
    doors: {
      dashboard: {
        route: 'GET /projects/{project}/webhooks/{id}/failed',
        role: 'viewer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  replayFailedDeliveries: declare({
    summary: 'Send all that failed since a time again',
    description: 'In the background, a few at a time. While a replay goes on, that one is answered.',
    body: ReplayFailed,
    success: { status: 202, description: 'The replay.', body: WebhookReplay },
    errors: ['bad-request'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/replay',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  stopWebhookReplay: declare({
    summary: 'Stop a replay',
    description: 'What was not begun stays failed.',
    success: { status: 200, description: 'The replay as it ended.', body: WebhookReplay },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/webhooks/{id}/replay',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
};
