import { useSyncExternalStore } from 'react';

/** From this width on, the conversation is next to the list. In class names: `min-[1100px]:`. */
const BESIDE = matchMedia('(min-width: 1100px)');
/** In windows wider than a phone but narrower than `BESIDE`, a row fits on one long line. */
const LINES = matchMedia('(min-width: 640px) and (max-width: 1099.98px)');

function useMedia(media: MediaQueryList): boolean {
  return useSyncExternalStore(
    (listener) => {
      media.addEventListener('change', listener);
      return () => media.removeEventListener('change', listener);
    },
    () => media.matches,
  );
}

/** Whether the list and the conversation are visible at once. */
export function useIsBeside(): boolean {
  return useMedia(BESIDE);
}

export function useHasLines(): boolean {
  return useMedia(LINES);
}
