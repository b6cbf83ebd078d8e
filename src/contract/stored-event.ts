/** The type of stored events, in a separate file so that workers need not load the schemas. */
import type { EventFact } from './events.ts';

/**
 * Gives a row of `events` the static type for its `type`. The row need not be checked, because only `record-events.ts` writes this table,
 * always from an `EventFact`. A row that an earlier version wrote may lack members that were added later.
 */
export function storedEvent<const Row extends { type: string; detail: object | null }>(row: Row) {
  return row as Omit<Row, 'type' | 'detail'> & Extract<EventFact, Pick<Row, 'type'>>;
}
