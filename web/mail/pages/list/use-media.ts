import { useSyncExternalStore } from 'react';

/** From this width on, the conversation is beside the list. The same width in class names is `min-[1100px]:`. */
const BESIDE = matchMedia('(min-width: 1100px)');
/** In windows that are wider than a phone but narrower than `BESIDE`, a row is one long line. */
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

/** Whether the list and the open conversation are side by side. */
export function useIsBeside(): boolean {
  return useMedia(BESIDE);
}

export function useHasLines(): boolean {
  return useMedia(LINES);
}
