import { sql } from 'kysely';
import type { Logger } from 'pino';
import type { Database } from '../../db/database.ts';
import type { Sealer } from '../../db/seal.ts';
import { encodeId } from '../../model/ids.ts';
import { routeAttemptDuration, routeAttempts } from '../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import type { DeliveryQueue, Settled } from '../../webhooks/deliver/delivery-queue.ts';
import { type DueTable, findDue } from '../../webhooks/deliver/find-due.ts';
import { postOutcomeOf } from '../../webhooks/deliver/observed-post.ts';
import { TIMINGS } from '../../webhooks/deliver/timings.ts';
import { type ClaimedMessage, claimMessages, endUnsendable, releaseMessages } from './claim-messages.ts';
import { type LoadedMessage, loadMessages } from './load-messages.ts';
import { BUSY, MessagePoster, type MessagePosterOptions } from './post-message.ts';
import { settleMessages } from './settle-messages.ts';

/** Attempts take longer than those of webhooks: large messages are read, written in a format and transferred. */
export const ROUTE_TIMINGS = { ...TIMINGS, claimMs: 5 * TIMINGS.claimMs };
/** The pause before a message is claimed again that could not be sent because others were. */
const BUSY_DELAY_MS = 5_000;

/** The pending messages of routes. A route without a URL is not enabled. */
export const DUE_ROUTES: DueTable = {
  name: 'routes',
  pending: { table: sql`route_messages d`, condition: sql`d.status = 'pending'` },
  endpoint: sql`d.route_id`,
  endpoints: { table: sql`routes e`, isEnabled: sql`e.url is not null` },
};

export interface RouteQueueOptions extends MessagePosterOptions {
  database: Database;
  sealer: Sealer;
  logger: Logger;
}

/** The deliveries of incoming messages to the URLs of routes. */
export function routeQueue(options: RouteQueueOptions): DeliveryQueue<ClaimedMessage, LoadedMessage> {
  const { database, sealer, logger } = options;
  const poster = new MessagePoster(options);
  const observeEnd = (settled: Settled<ClaimedMessage>): void => {
    if (isPostponed(settled)) return;
    const { attempt, status, httpStatus, error, durationMs } = settled;
    const outcome = postOutcomeOf(settled);
    routeAttempts.inc({ outcome });
    if (durationMs !== null) routeAttemptDuration.observe(durationMs / 1_000);
    const line = {
      ...idsOf(settled),
      attempt,
      outcome,
      status: httpStatus ?? undefined,
      reason: error ?? undefined,
      durationMs: durationMs ?? undefined,
      isLast: status === 'failed' ? true : undefined,
    };
    logger.info(line, LOG_MESSAGES.routeAttempted);
  };
  return {
    findDue: (after) => findDue(database, DUE_ROUTES, after),
    claim: (leaseId, demands, timings) => claimMessages(database, leaseId, demands, timings),
    release: (attempts) => releaseMessages(database, attempts),
    load: (claimed) =>
      loadMessages(database, sealer, claimed, (delivery, error) => {
        logger.error({ ...idsOf(delivery), err: error }, LOG_MESSAGES.routeSecretNotOpened);
      }),
    post: (item) => poster.post(item),
    settle: async (batch) => {
      const { postponed = [], made = [] } = Object.groupBy(batch, (each) =>
        isPostponed(each) ? 'postponed' : 'made',
      );
      await releaseMessages(database, postponed, BUSY_DELAY_MS);
      if (made.length > 0) await settleMessages(database, made);
    },
    failUndeliverable: (routes) => endUnsendable(database, routes),
    observe: () => observeEnd,
    observeEnd,
  };
}

function isPostponed({ error, wasRequested }: Settled<ClaimedMessage>): boolean {
  return error === BUSY && !wasRequested;
}

/** The ids as the API shows them, with their prefixes. */
function idsOf({ projectId, webhookId, id }: ClaimedMessage) {
  return {
    projectId: encodeId('prj', projectId),
    routeId: encodeId('rt', webhookId),
    routedId: encodeId('rm', id),
  };
}
