import { startTransition, useRef, useState } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import type { Rows } from '../../reading/rows.ts';

interface Place {
  /** Of the list. */
  key: string;
  index: number;
  /** The conversation there, where its row is held. */
  id: string | undefined;
}

export interface KeyboardCursor {
  /** Of the row that is drawn as the one that Tab comes to. */
  index: number;
  /** Of the row that the keyboard stands at now, which may not be drawn yet: keys are meant for this one. */
  now(): number;
  goTo(index: number): void;
  /** The keyboard has come to a row. */
  reach(index: number): void;
}

/**
 * The row of a list that the keyboard stands at. It is known by its conversation: rows that come or go above it move it, or a key would
 * act on another conversation than the one that has the focus.
 * @param openAt the index of the conversation that is open, which keys are meant for then; -1: none
 */
export function useCursor(key: string, rows: Rows<ConversationRow>, openAt: number): KeyboardCursor {
  const latest = useRef<Place>({ key, index: 0, id: undefined });
  const [drawn, setDrawn] = useState(latest.current);
  const indexOf = (place: Place): number => {
    const held = place.id === undefined ? -1 : rows.indexOf(place.id);
    const index = place.key !== key ? 0 : held === -1 ? place.index : held;
    return Math.max(0, Math.min(openAt === -1 ? index : openAt, rows.count - 1));
  };
  const placeAt = (index: number): Place => ({ key, index, id: rows.at(index)?.id });
  return {
    index: indexOf(drawn),
    now: () => indexOf(latest.current),
    goTo(index) {
      latest.current = placeAt(index);
      setDrawn(latest.current);
    },
    // Drawn later than what is pressed: what is pressed is opened next, and the one is drawn with the other.
    reach(index) {
      const { current } = latest;
      if (current.key === key && current.index === index && current.id === rows.at(index)?.id) return;
      latest.current = placeAt(index);
      startTransition(() => setDrawn(latest.current));
    },
  };
}
