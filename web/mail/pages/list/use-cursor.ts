import { startTransition, useRef, useState } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import type { Rows } from '../../reading/rows.ts';

interface CursorPosition {
  /** The key that identifies the list. */
  key: string;
  index: number;
  /** The id of the conversation at the cursor, if its row is loaded. */
  id: string | undefined;
}

export interface KeyboardCursor {
  /** The index of the row that Tab moves to, as rendered. */
  index: number;
  /** The index of the row with the cursor, which may be newer than the rendered index. Shortcuts apply to this row. */
  now(): number;
  goTo(index: number): void;
  /** Call when a row receives the keyboard focus. */
  followFocus(index: number): void;
}

/**
 * The keyboard cursor of a list. The cursor follows a conversation rather than an index: when rows above are added or
 * removed, a shortcut must still apply to the focused conversation.
 * @param openAt the index of the open conversation, to which shortcuts apply; -1 if no conversation is open
 */
export function useCursor(key: string, rows: Rows<ConversationRow>, openAt: number): KeyboardCursor {
  const latest = useRef<CursorPosition>({ key, index: 0, id: undefined });
  const [drawn, setDrawn] = useState(latest.current);
  const indexOf = (position: CursorPosition): number => {
    const held = position.id === undefined ? -1 : rows.indexOf(position.id);
    const index = position.key !== key ? 0 : held === -1 ? position.index : held;
    return Math.max(0, Math.min(openAt === -1 ? index : openAt, rows.count - 1));
  };
  const positionAt = (index: number): CursorPosition => ({ key, index, id: rows.at(index)?.id });
  return {
    index: indexOf(drawn),
    now: () => indexOf(latest.current),
    goTo(index) {
      latest.current = positionAt(index);
      setDrawn(latest.current);
    },
    // Do not render now: the conversation opens next, and a single render then shows both changes.
    followFocus(index) {
      const { current } = latest;
      if (current.key === key && current.index === index && current.id === rows.at(index)?.id) return;
      latest.current = positionAt(index);
      startTransition(() => setDrawn(latest.current));
    },
  };
}
