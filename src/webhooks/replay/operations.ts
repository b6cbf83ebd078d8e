/** Operations that send failed deliveries again, and pending deliveries before their time. `run.ts` implements them. */
import {
  DeliveryCount,
  DeliveryDetail,
  FailedQuery,
  ReplayFailed,
  WebhookReplay,
  WebhookRetry,
} from '../../contract/dashboard/webhooks.ts';
import { declare } from '../../contract/operation.ts';

export const WEBHOOK_REPLAY_OPERATIONS = {
  retryWebhookDelivery: declare({
    summary: 'Attempt a pending delivery now',
    description:
      'The attempt counts as one of the attempts of the delivery. A delivery that is being sent, or that succeeded, is left unchanged.',
    success: { status: 200, description: 'The delivery.', body: DeliveryDetail },
    errors: ['bad-request'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/deliveries/{part}/retry',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
        part: { name: 'delivery', prefix: 'dlv' },
      },
    },
  }),
  retryPendingDeliveries: declare({
    summary: 'Attempt all pending deliveries now',
    description:
      'The deliveries are sent in the background, a few at a time. If the first ones fail, the others keep their times. If a retry is in progress, that retry is returned instead.',
    success: { status: 202, description: 'The retry.', body: WebhookRetry },
    errors: ['bad-request'],
    doors: {
      dashboard: {
        route: 'POST /projects/{project}/webhooks/{id}/retry',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
  stopWebhookRetry: declare({
    summary: 'Stop a retry of all pending deliveries',
    description: 'Deliveries that have not become due keep the times of their next attempts.',
    success: { status: 200, description: 'The ended retry.', body: WebhookRetry },
    doors: {
      dashboard: {
        route: 'DELETE /projects/{project}/webhooks/{id}/retry',
        role: 'developer',
        resource: { name: 'webhook', prefix: 'wh' },
      },
    },
  }),
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
    success: { status: 200, description: 'The count.', body: DeliveryCount },
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
