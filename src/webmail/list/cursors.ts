/** Where the pages of a mailbox end, as whoever asks for the next one brings it back. */
import { cursorOf } from '../../model/cursor.ts';
import type { ListPosition } from './conversation-page.ts';

/** By the time at which a message was received, in microseconds since 1970, then by its id. */
export interface MessagePosition {
  micros: string;
  id: string;
}

export const MESSAGES_END = cursorOf('messages', { micros: 'micros', id: 'uuid' });

/** Which way the page lies from there. */
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
  const { way, ...place } = LIST_END.decode(text);
  return way === 'older' ? { olderThan: place } : { newerThan: place };
}
