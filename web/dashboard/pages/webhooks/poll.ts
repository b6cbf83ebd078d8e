import { useState } from 'react';

const FIRST_MS = 1_500;
const FACTOR = 1.5;
/** The longest pauses while changes are expected, and while none are. */
const MOST_LIVE_MS = 5_000;
const MOST_IDLE_MS = 15_000;

interface Polled<Data> {
  state: { data: Data | undefined; dataUpdatedAt: number };
}

/**
 * The pause before the next poll: short while the data changes, then longer and longer.
 * @param isLive whether changes are still expected
 */
export function usePolling<Data>(isLive: (data: Data) => boolean) {
  const [poll] = useState(() => {
    let seen: Data | undefined;
    let seenAt = 0;
    let ms = FIRST_MS;
    return (data: Data, at: number): number => {
      // Unchanged data keeps its identity (structural sharing).
      if (data !== seen) ms = FIRST_MS;
      else if (at !== seenAt) ms = Math.min(ms * FACTOR, MOST_IDLE_MS);
      seen = data;
      seenAt = at;
      return ms;
    };
  });
  return ({ state: { data, dataUpdatedAt } }: Polled<Data>): number | false => {
    if (data === undefined) return false;
    const ms = poll(data, dataUpdatedAt);
    return isLive(data) ? Math.min(ms, MOST_LIVE_MS) : ms;
  };
}
