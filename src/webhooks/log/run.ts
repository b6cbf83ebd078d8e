/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { DashboardWebhooks } from '../dashboard-webhooks.ts';
import type { WEBHOOK_LOG_OPERATIONS } from './operations.ts';

/** The parts of the core that the operations need. */
export interface WebhookLogParts {
  webhookPages: DashboardWebhooks;
}

export const run: Run<typeof WEBHOOK_LOG_OPERATIONS, WebhookLogParts> = {
  listWebhookDeliveries: ({ webhookPages }, { projectId, id, query }) =>
    webhookPages.deliveries({ projectId, webhookId: id }, query),
  getWebhookDelivery: ({ webhookPages }, { principal, projectId, id, partId }) =>
    webhookPages.delivery({
      projectId,
      webhookId: id,
      deliveryId: partId,
      includesBodies: principal.seesBodies,
    }),
};
