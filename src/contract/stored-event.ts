/** The type of stored events, in a separate file so that workers need not load the schemas. */
import type { DialogueLine, EventFact } from './events.ts';

/**
 * A line of an SMTP dialogue as it is stored: the milliseconds, the first letter of the speaker, a space and the text. A dialogue is most of
 * an event's bytes, and as an object each line would be 30 bytes longer.
 */
const LINE = /^(\d+)([csn]) (.*)$/s;
const SPEAKERS: Readonly<Record<string, DialogueLine['by']>> = { c: 'client', s: 'server', n: 'note' };

/**
 * The detail of an event as it is stored: `lines` in place of `dialogue`, and `relayed`, which is not part of the contract.
 * @param isRelayed whether the attempt was made at a server in transit, not at the recipient's own server
 */
export function storedDetail(detail: EventFact['detail'], isRelayed = false): object | null {
  if (detail === null) return null;
  const stored = isRelayed ? { ...detail, relayed: true } : detail;
  if (!('dialogue' in stored) || stored.dialogue === undefined) return stored;
  const { dialogue, ...rest } = stored;
  return { ...rest, lines: dialogue.map(({ at_ms: atMs, by, text }) => `${atMs}${by[0]} ${text}`) };
}

/** Whether a stored event is about an attempt at a server in transit. Events of earlier versions do not say it. */
export function wasRelayed(detail: object | null): boolean {
  return detail !== null && 'relayed' in detail;
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
  if (detail === null || !('lines' in detail || wasRelayed(detail))) return detail;
  const { lines, relayed: _, ...rest } = detail as { lines?: string[]; relayed?: true };
  return lines === undefined ? rest : { ...rest, dialogue: lines.map(lineOf) };
}

function lineOf(line: string): DialogueLine {
  const [, atMs = '', by = '', text = line] = LINE.exec(line) ?? [];
  return { at_ms: Number(atMs), by: SPEAKERS[by] ?? 'note', text };
}
