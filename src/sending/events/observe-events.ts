/** Events as operators hear of them. */
import { bounces, outcomes } from '../../observe/instruments.ts';
import type { NewEvent } from './record-events.ts';

/** What is known of the bounce, where one of the events is one. */
export function bounceIn(events: readonly NewEvent[]): NewEvent<'bounced'>['detail'] | undefined {
  return events.find((event) => event.type === 'bounced')?.detail;
}

/** Counts events that are in the timeline. The first steps of an email are no news of a recipient. */
export function countEvents(events: readonly NewEvent[]): void {
  for (const { type, detail } of events) {
    if (type === 'queued' || type === 'sending') continue;
    outcomes.inc({ type });
    if (type === 'bounced') bounces.inc({ type: detail.type, category: detail.category });
  }
}

/** Events as the log tells them: `sent,delivered`, and the kind of a bounce. Undefined: there is none. */
export function describeEvents(events: readonly NewEvent[]) {
  const bounce = bounceIn(events);
  return {
    events: events.length === 0 ? undefined : events.map(({ type }) => type).join(','),
    bounceType: bounce?.type,
    bounceCategory: bounce?.category,
  };
}
