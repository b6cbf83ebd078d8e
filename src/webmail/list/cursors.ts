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
  pinned: ['yes', 'no'],
  newestAt: 'micros',
  newestUid: 'int',
  row: 'int',
});

export function encodeListCursor(cursor: ListCursor): string {
  const { isPinned, ...position } = 'olderThan' in cursor ? cursor.olderThan : cursor.newerThan;
  const way = 'olderThan' in cursor ? 'older' : 'newer';
  return LIST_END.encode({ way, pinned: isPinned ? 'yes' : 'no', ...position });
}

/** @throws AppError validation-failed */
export function decodeListCursor(text: string): ListCursor {
  const { way, pinned, ...rest } = LIST_END.decode(text);
  const position = { ...rest, isPinned: pinned === 'yes' };
  return way === 'older' ? { olderThan: position } : { newerThan: position };
}
