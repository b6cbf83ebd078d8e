/** Beside the schemas, which workers need not load. */
import type { EventFact } from './events.ts';

/**
 * A row of `events` by its type. No more than a name for what is there: `record-events.ts` alone writes that table, and takes
 * nothing but an `EventFact`. A row of an earlier version may lack members that came later.
 */
export function storedEvent<const Row extends { type: string; detail: object | null }>(row: Row) {
  return row as Omit<Row, 'type' | 'detail'> & Extract<EventFact, Pick<Row, 'type'>>;
}
