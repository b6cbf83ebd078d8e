/** Events in metrics and log lines. */
import { bounces, outcomes } from '../../observe/instruments.ts';
import type { NewEvent } from './record-events.ts';

/** The detail of the bounce, if one of the events is a bounce. */
export function bounceIn(events: readonly NewEvent[]): NewEvent<'bounced'>['detail'] | undefined {
  return events.find((event) => event.type === 'bounced')?.detail;
}

/** Counts recorded events. The first steps of an email are left out, because they say nothing about a recipient. */
export function countEvents(events: readonly NewEvent[]): void {
  for (const { type, detail } of events) {
    if (type === 'queued' || type === 'sending') continue;
    outcomes.inc({ type });
    if (type === 'bounced') bounces.inc({ type: detail.type, category: detail.category });
  }
}

/** Events as log fields: `sent,delivered`, and the type of a bounce. Undefined fields if there are none. */
export function describeEvents(events: readonly NewEvent[]) {
  const bounce = bounceIn(events);
  return {
    events: events.length === 0 ? undefined : events.map(({ type }) => type).join(','),
    bounceType: bounce?.type,
    bounceCategory: bounce?.category,
  };
}
