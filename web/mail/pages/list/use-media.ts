import { useSyncExternalStore } from 'react';
import { useWatched } from '../../../ui/watched.ts';
import { layout } from '../../reading/layout.ts';

/** From this width on, the conversation can be beside or below the list. */
const WIDE = matchMedia('(min-width: 1100px)');
/** In narrower windows, a row has no space for one long line. */
const LINES = matchMedia('(min-width: 640px)');
/** Whether the user has no mouse. */
const TOUCH = matchMedia('(hover: none)');

const HEIGHTS = {
  comfortable: { line: 44, card: 84 },
  compact: { line: 28, card: 60 },
};

function useMedia(media: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => media.matches,
  );
}

/** The position of the open conversation. With `none`, it covers the list. */
export function usePane(): 'beside' | 'below' | 'none' {
  const { pane } = useWatched(layout);
  return useMedia(WIDE) ? pane : 'none';
}

export interface RowShape {
  /** Whether a row is one line. Otherwise it is a card of several lines. */
  isLine: boolean;
  isCompact: boolean;
  /** In pixels. */
  height: number;
}

export function useRowShape(): RowShape {
  const { rows, density } = useWatched(layout);
  const pane = usePane();
  const isWide = useMedia(LINES);
  const isLine = isWide && (rows === 'auto' ? pane !== 'beside' : rows === 'lines');
  return { isLine, isCompact: density === 'compact', height: HEIGHTS[density][isLine ? 'line' : 'card'] };
}

export function isTouch(): boolean {
  return TOUCH.matches;
}
