import { useState } from 'react';

const FIRST_MS = 1_500;
const FACTOR = 1.5;
/** The longest pause between polls while changes are expected; `MOST_IDLE_MS` applies otherwise. */
const MOST_LIVE_MS = 5_000;
const MOST_IDLE_MS = 15_000;

interface Polled<Data> {
  state: { data: Data | undefined; dataUpdatedAt: number };
}

/**
 * The pause before the next poll. It is short while the data changes, and grows while the data stays the same.
 * @param isLive whether changes are still expected
 */
export function usePolling<Data>(isLive: (data: Data) => boolean) {
  const [poll] = useState(() => {
    let seen: Data | undefined;
    let seenAt = 0;
    let ms = FIRST_MS;
    return (data: Data, at: number): number => {
      // If the data is unchanged, the query returns the same object (structural sharing).
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
