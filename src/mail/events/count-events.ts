import { bounces, outcomes } from '../../observe/instruments.ts';
import type { NewEvent } from './record-events.ts';

/** Counts events once they are in the timeline. The first steps of an email are no news of a recipient. */
export function countEvents(events: readonly NewEvent[]): void {
  for (const { type, detail } of events) {
    if (type === 'queued' || type === 'sending') continue;
    outcomes.inc({ type });
    if (type !== 'bounced' || detail === null) continue;
    bounces.inc({ type: String(detail['type']), category: String(detail['category']) });
  }
}

/** For the log: `sent,delivered`; undefined where there are none. */
export function typesOf(events: readonly NewEvent[]): string | undefined {
  return events.length === 0 ? undefined : events.map(({ type }) => type).join(',');
}
