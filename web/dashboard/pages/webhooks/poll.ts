import { useState } from 'react';

const FIRST_MS = 1_500;
const FACTOR = 1.5;
/** While something is still to come, and while nothing is. */
const MOST_LIVE_MS = 5_000;
const MOST_IDLE_MS = 15_000;

interface Polled<Data> {
  state: { data: Data | undefined; dataUpdatedAt: number };
}

/**
 * How soon to ask again: soon while things move, and less and less often while nothing does.
 * @param isLive whether something is still to come
 */
export function usePolling<Data>(isLive: (data: Data) => boolean) {
  const [poll] = useState(() => {
    let seen: Data | undefined;
    let seenAt = 0;
    let ms = FIRST_MS;
    return (data: Data, at: number): number => {
      // What is the same keeps its identity (structural sharing).
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
