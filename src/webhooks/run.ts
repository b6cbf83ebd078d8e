/** Implements the operations of `operations.ts`. */
import type { Run } from '../accounts/calls.ts';
import type { DashboardWebhooks } from './dashboard-webhooks.ts';
import type { WEBHOOK_OPERATIONS } from './operations.ts';
import type { Webhooks } from './webhooks.ts';

/** The parts of the core that the operations need. */
export interface WebhookParts {
  webhookPages: DashboardWebhooks;
  webhooks: Webhooks;
}

export const run: Run<typeof WEBHOOK_OPERATIONS, WebhookParts> = {
  listWebhooks: ({ webhooks }, { projectId }) => webhooks.list(projectId),
  listWebhookPage: ({ webhookPages }, { projectId }) => webhookPages.list(projectId),
  createWebhook: ({ webhooks }, { projectId, body }) => webhooks.create(projectId, body),
  getWebhook: ({ webhooks }, { projectId, id }) => webhooks.get(projectId, id),
  getWebhookDetails: ({ webhookPages }, { projectId, id }) => webhookPages.get({ projectId, webhookId: id }),
  updateWebhook: ({ webhooks }, { projectId, id, body }) => webhooks.update(projectId, id, body),
  deleteWebhook: ({ webhooks }, { projectId, id }) => webhooks.remove(projectId, id),
  testWebhook: ({ webhooks }, { projectId, id }) => webhooks.test(projectId, id),
  getWebhookActivity: ({ webhookPages }, { projectId, id, query }) =>
    webhookPages.activity({ projectId, webhookId: id }, query.span),
  rotateWebhookSecret: ({ webhookPages }, { projectId, id, body }) =>
    webhookPages.rotateSecret({ projectId, webhookId: id }, body.overlap_hours),
  finishSecretRotation: ({ webhookPages }, { projectId, id }) =>
    webhookPages.finishRotation({ projectId, webhookId: id }),
  cancelSecretRotation: ({ webhookPages }, { projectId, id }) =>
    webhookPages.cancelRotation({ projectId, webhookId: id }),
};
