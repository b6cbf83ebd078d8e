import { bounces, outcomes } from '../../observe/instruments.ts';
import type { NewEvent } from './record-events.ts';

/** Counts events that are in the timeline. The first steps of an email are no news of a recipient. */
export function countEvents(events: readonly NewEvent[]): void {
  for (const { type, detail } of events) {
    if (type === 'queued' || type === 'sending') continue;
    outcomes.inc({ type });
    if (type === 'bounced')
      bounces.inc({ type: String(detail?.['type']), category: String(detail?.['category']) });
  }
}
