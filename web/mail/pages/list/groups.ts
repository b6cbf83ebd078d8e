/** Divides a list sorted by date into groups, such as the mail of yesterday. */
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import type { Rows } from '../../reading/rows.ts';

/** A heading above a row. */
export interface Group {
  /** The index of the row. */
  at: number;
  name: string;
}

/** The height of a heading, in pixels. */
export const HEADING_HEIGHT = 24;

/** Returns the name of the group of a time. Weeks begin on Monday. @param now the current time */
export function groupingAt(now: Date): (time: string) => string {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()];
  const monday = day - ((now.getDay() + 6) % 7);
  const starts: readonly (readonly [Date, string])[] = [
    [new Date(year, month, day), 'Today'],
    [new Date(year, month, day - 1), 'Yesterday'],
    [new Date(year, month, monday), 'This week'],
    [new Date(year, month, monday - 7), 'Last week'],
    [new Date(year, month, 1), 'This month'],
    [new Date(year, month - 1, 1), 'Last month'],
  ];
  return (time) => {
    const at = Date.parse(time);
    return starts.find(([start]) => at >= start.getTime())?.[1] ?? 'Older';
  };
}

/** The groups whose first row is loaded. A list with only old mail has no headings. */
export function groupsOf(rows: Rows<ConversationRow>, now = new Date()): readonly Group[] {
  const groups: Group[] = [];
  const groupOf = groupingAt(now);
  let last = { at: -1, name: '' };
  for (const { at, row } of rows.inOrder()) {
    const name = groupOf(row.newest_at);
    if (at === last.at + 1 && name !== last.name) groups.push({ at, name });
    last = { at, name };
  }
  return groups.length === 1 && groups[0]?.name === 'Older' ? [] : groups;
}
