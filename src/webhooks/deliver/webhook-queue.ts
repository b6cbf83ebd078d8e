import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { encodeId } from '../../model/ids.ts';
import type { GuardedClient } from '../../net/guarded-client.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { emailPayload } from '../payload.ts';
import { postEvent } from '../post-event.ts';
import { type ClaimedDelivery, claimDeliveries, releaseClaims } from './claim-deliveries.ts';
import type { DeliveryQueue } from './delivery-queue.ts';
import { failUndeliverable } from './fail-undeliverable.ts';
import { DUE_WEBHOOKS, findDue } from './find-due.ts';
import { type LoadedDelivery, loadDeliveries } from './load-deliveries.ts';
import { observeEnd, observePost } from './observed-post.ts';
import { settleDeliveries } from './settle-deliveries.ts';

export interface WebhookQueueOptions {
  database: Database;
  /** Loads deliveries. Only reads, so its sessions may prune partitions. */
  reads: Database;
  sealer: Sealer;
  client: Pick<GuardedClient, 'post'>;
  logger: Logger;
}

/** The deliveries of events to webhooks. */
export function webhookQueue({
  database,
  reads,
  sealer,
  client,
  logger,
}: WebhookQueueOptions): DeliveryQueue<ClaimedDelivery, LoadedDelivery> {
  return {
    findDue: (after) => findDue(database, DUE_WEBHOOKS, after),
    claim: (leaseId, demands, timings) => claimDeliveries(database, leaseId, demands, timings),
    release: (attempts) => releaseClaims(database, attempts),
    load: (claimed) =>
      loadDeliveries(reads, sealer, claimed, ({ projectId, id }, error) => {
        const ids = { projectId: encodeId('prj', projectId), webhookId: encodeId('wh', id) };
        logger.error({ ...ids, err: error }, LOG_MESSAGES.secretNotOpened);
      }),
    post({ url, secrets, source }) {
      const event = { id: encodeId('evt', source.eventId), body: emailPayload(source) };
      return postEvent(client, url, secrets, event);
    },
    async settle(batch) {
      for (const { projectId, webhookId } of await settleDeliveries(database, batch)) {
        const ids = { projectId: encodeId('prj', projectId), webhookId: encodeId('wh', webhookId) };
        logger.warn({ ...ids, reason: 'failing' }, LOG_MESSAGES.webhookDisabled);
      }
    },
    failUndeliverable: (webhooks) => failUndeliverable(database, webhooks),
    observe: ({ url, traceParent }) => observePost(logger, url, traceParent),
    observeEnd: (settled) => observeEnd(logger, settled),
  };
}
