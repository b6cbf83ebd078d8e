/** Implements the operations of `operations.ts`. */
import type { Run } from '../../accounts/calls.ts';
import type { Database } from '../../db/database.ts';
import type { DashboardWebhooks } from '../dashboard-webhooks.ts';
import type { WEBHOOK_REPLAY_OPERATIONS } from './operations.ts';
import { replayFailed, stopReplay } from './replay-failed.ts';
import { retryPending, stopRetry } from './retry-pending.ts';

/** The parts of the core that the operations need. */
export interface WebhookReplayParts {
  database: Database;
  webhookPages: DashboardWebhooks;
}

export const run: Run<typeof WEBHOOK_REPLAY_OPERATIONS, WebhookReplayParts> = {
  retryWebhookDelivery: ({ webhookPages }, { principal, projectId, id, partId }) =>
    webhookPages.retryDelivery({
      projectId,
      webhookId: id,
      deliveryId: partId,
      includesBodies: principal.seesBodies,
    }),
  retryPendingDeliveries: ({ database }, { projectId, id }) =>
    retryPending(database, { projectId, webhookId: id }),
  stopWebhookRetry: ({ database }, { projectId, id }) => stopRetry(database, { projectId, webhookId: id }),
  replayWebhookDelivery: ({ webhookPages }, { principal, projectId, id, partId }) =>
    webhookPages.replayDelivery({
      projectId,
      webhookId: id,
      deliveryId: partId,
      includesBodies: principal.seesBodies,
    }),
  countFailedDeliveries: ({ webhookPages }, { projectId, id, query }) =>
    webhookPages.countFailed({ projectId, webhookId: id }, timeOrNull(query.since)),
  replayFailedDeliveries: ({ database }, { projectId, id, body }) =>
    replayFailed(database, { projectId, webhookId: id }, timeOrNull(body.since)),
  stopWebhookReplay: ({ database }, { projectId, id }) => stopReplay(database, { projectId, webhookId: id }),
};

/** A time in a request, checked by the schema. Null if the request has none. */
function timeOrNull(time: string | null | undefined): Date | null {
  return time === null || time === undefined ? null : new Date(time);
}
