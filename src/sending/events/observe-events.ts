/** Counts events in metrics and describes them in log lines. */
import { bounces, outcomes } from '../../observe/instruments.ts';
import type { NewEvent } from './record-events.ts';

/** The detail of the bounce event, if there is one. */
export function bounceIn(events: readonly NewEvent[]): NewEvent<'bounced'>['detail'] | undefined {
  return events.find((event) => event.type === 'bounced')?.detail;
}

/** Counts recorded events. `queued` and `sending` are left out, because they say nothing about a recipient. */
export function countEvents(events: readonly NewEvent[]): void {
  for (const { type, detail } of events) {
    if (type === 'queued' || type === 'sending') continue;
    outcomes.inc({ type });
    if (type === 'bounced') bounces.inc({ type: detail.type, category: detail.category });
  }
}

/**
 * Events as log fields: their types, such as `sent,delivered`, and the type of a bounce. A field is undefined if it has no corresponding
 * event.
 */
export function describeEvents(events: readonly NewEvent[]) {
  const bounce = bounceIn(events);
  return {
    events: events.length === 0 ? undefined : events.map(({ type }) => type).join(','),
    bounceType: bounce?.type,
    bounceCategory: bounce?.category,
  };
}
