/** This file is separate from the schemas, so that workers need not load the schemas. */
import type { EventFact } from './events.ts';

/**
 * Types a row of `events` by its `type` without checking the row: only `record-events.ts` writes that table, and only from an `EventFact`. A row
 * of an earlier version may lack members that were added later.
 */
export function storedEvent<const Row extends { type: string; detail: object | null }>(row: Row) {
  return row as Omit<Row, 'type' | 'detail'> & Extract<EventFact, Pick<Row, 'type'>>;
}
