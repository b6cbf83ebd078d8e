import type { Logger } from 'pino';
import { encodeId } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { trackingHits } from '../../observe/instruments.ts';
import type { HitResult, TrackingHit } from './record-hits.ts';
import type { TrackedRecipient } from './tracking-links.ts';

/** Counts a recorded hit in the metrics and logs new hits. */
export function observeHit(logger: Logger, hit: TrackingHit, result: HitResult | 'lost'): void {
  trackingHits.inc({ kind: hit.kind, result });
  if (result !== 'recorded') return;
  const line = { ...idsOf(hit.of), isMachine: hit.isMachine };
  logger.info(line, hit.kind === 'open' ? LOG_MESSAGES.opened : LOG_MESSAGES.clicked);
}

/** Counts and logs that a recipient unsubscribed. */
export function observeUnsubscribe(logger: Logger, of: TrackedRecipient): void {
  trackingHits.inc({ kind: 'unsubscribe', result: 'recorded' });
  logger.info(idsOf(of), LOG_MESSAGES.unsubscribed);
}

function idsOf({ projectId, emailId, recipientIndex }: TrackedRecipient) {
  return { projectId: encodeId('prj', projectId), emailId: encodeId('em', emailId), recipientIndex };
}
