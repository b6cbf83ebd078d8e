import type { NewEvent } from './record-events.ts';

/** Events as the log tells them: `sent,delivered`, and of a bounce its kind. Undefined: there is none. */
export function describeEvents(events: readonly NewEvent[]) {
  const bounce = events.find(({ type }) => type === 'bounced')?.detail;
  return {
    events: events.length === 0 ? undefined : events.map(({ type }) => type).join(','),
    bounceType: bounce?.['type'],
    bounceCategory: bounce?.['category'],
  };
}
