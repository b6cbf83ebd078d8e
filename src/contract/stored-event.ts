/** The type of stored events, in a separate file so that workers need not load the schemas. */
import type { DialogueLine, EventFact } from './events.ts';

/**
 * A line of an SMTP dialogue as it is stored: the milliseconds, the first letter of the speaker, a space and the text. A dialogue is most of
 * an event's bytes, and as an object each line would be 30 bytes longer.
 */
const LINE = /^(\d+)([csn]) (.*)$/s;
const SPEAKERS: Readonly<Record<string, DialogueLine['by']>> = { c: 'client', s: 'server', n: 'note' };

/** The detail of an event as it is stored: `lines` in place of `dialogue`. */
export function storedDetail(detail: EventFact['detail']): object | null {
  if (detail === null || !('dialogue' in detail) || detail.dialogue === undefined) return detail;
  const { dialogue, ...rest } = detail;
  return { ...rest, lines: dialogue.map(({ at_ms: atMs, by, text }) => `${atMs}${by[0]} ${text}`) };
}

/**
 * Gives a row of `events` the static type for its `type`. The row is not checked, because only `record-events.ts` writes this table, always
 * from an `EventFact`. If an earlier version wrote the row, members that were added later may be missing.
 */
export function storedEvent<const Row extends { type: string; detail: object | null }>(row: Row) {
  return { ...row, detail: detailOf(row.detail) } as Omit<Row, 'type' | 'detail'> &
    Extract<EventFact, Pick<Row, 'type'>>;
}

function detailOf(detail: object | null): object | null {
  if (detail === null || !('lines' in detail)) return detail;
  const { lines, ...rest } = detail as { lines: string[] };
  return { ...rest, dialogue: lines.map(lineOf) };
}

function lineOf(line: string): DialogueLine {
  const [, atMs = '', by = '', text = line] = LINE.exec(line) ?? [];
  return { at_ms: Number(atMs), by: SPEAKERS[by] ?? 'note', text };
}
