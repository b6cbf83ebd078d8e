/** The type of stored events, in a separate file so that workers need not load the schemas. */
import type { EventFact } from './events.ts';

/**
 * Gives a row of `events` the static type for its `type`. The row is not checked, because only `record-events.ts` writes this table, always
 * from an `EventFact`. If an earlier version wrote the row, members that were added later may be missing.
 */
export function storedEvent<const Row extends { type: string; detail: object | null }>(row: Row) {
  return row as Omit<Row, 'type' | 'detail'> & Extract<EventFact, Pick<Row, 'type'>>;
}
