/** Cursors of a mailbox's lists: the position at which a page ended. The client passes a cursor back to get the next page. */
import { cursorOf } from '../../model/cursor.ts';
import type { ListPosition } from './conversation-page.ts';

/** A position in a list sorted by the time of receipt (microseconds since 1970), then by message id. */
export interface MessagePosition {
  micros: string;
  id: string;
}

export const MESSAGES_END = cursorOf('messages', { micros: 'micros', id: 'uuid' });

/** A request for the page after (older) or before (newer) a row. */
export type ListCursor = { olderThan: ListPosition } | { newerThan: ListPosition };

const LIST_END = cursorOf('conversations', {
  way: ['older', 'newer'],
  newestAt: 'micros',
  newestUid: 'int',
  row: 'int',
});

export function encodeListCursor(cursor: ListCursor): string {
  return 'olderThan' in cursor
    ? LIST_END.encode({ way: 'older', ...cursor.olderThan })
    : LIST_END.encode({ way: 'newer', ...cursor.newerThan });
}

/** @throws AppError validation-failed */
export function decodeListCursor(text: string): ListCursor {
  const { way, ...position } = LIST_END.decode(text);
  return way === 'older' ? { olderThan: position } : { newerThan: position };
}
