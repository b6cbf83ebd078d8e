import { useSyncExternalStore } from 'react';

/** From here on the conversation stands beside the list. The classes have it as `min-[1100px]:`. */
const BESIDE = matchMedia('(min-width: 1100px)');
/** Between a phone and that, a row has room for one long line. */
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

/** Whether list and conversation are seen at once. */
export function useIsBeside(): boolean {
  return useMedia(BESIDE);
}

export function useHasLines(): boolean {
  return useMedia(LINES);
}
