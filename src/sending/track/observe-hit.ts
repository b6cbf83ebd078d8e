import type { Logger } from 'pino';
import { encodeId } from '../../model/ids.ts';
import { HAPPENINGS } from '../../observe/happenings.ts';
import { trackingHits } from '../../observe/instruments.ts';
import type { HitResult, TrackingHit } from './record-hits.ts';
import type { TrackedRecipient } from './tracking-links.ts';

/** What a recipient did, once it is written down: a line of the log where it is news, and figures. */
export function observeHit(logger: Logger, hit: TrackingHit, result: HitResult | 'lost'): void {
  trackingHits.inc({ kind: hit.kind, result });
  if (result !== 'recorded') return;
  const line = { ...idsOf(hit.of), isMachine: hit.isMachine };
  logger.info(line, hit.kind === 'open' ? HAPPENINGS.opened : HAPPENINGS.clicked);
}

/** A recipient wants no more mail. */
export function observeUnsubscribe(logger: Logger, of: TrackedRecipient): void {
  trackingHits.inc({ kind: 'unsubscribe', result: 'recorded' });
  logger.info(idsOf(of), HAPPENINGS.unsubscribed);
}

function idsOf({ projectId, emailId, n }: TrackedRecipient) {
  return { projectId: encodeId('prj', projectId), emailId: encodeId('em', emailId), n };
}
