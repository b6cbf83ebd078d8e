/** Operations that send failed deliveries again. `run.ts` implements them. */
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
    description: 'Starts a new series of attempts. A pending delivery is left unchanged.',
    success: { status: 200, description: 'The delivery, which is now pending.', body: DeliveryDetail },
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
    summary: 'Count the deliveries that a replay would send again',
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
    summary: 'Send all deliveries again that failed since a time',
    description:
      'The deliveries are sent in the background, a few at a time. If a replay is in progress, that replay is returned instead.',
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
    description: 'Deliveries that have not been sent again stay failed.',
    success: { status: 200, description: 'The ended replay.', body: WebhookReplay },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/webhooks/{id}/replay',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
};
