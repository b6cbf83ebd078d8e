/** The upload rate is measured over the last ten seconds, long enough to even out the pauses between pieces. */
const WINDOW_MS = 10_000;
/** No rate is reported before this time has been measured. */
const LEAST_MS = 1_500;

export interface Rate {
  /** Records the progress at a time. @param octets the number of bytes sent so far @param now in ms */
  note(octets: number, now: number): void;
  /** The rate in bytes per second; null if the measured time is too short. */
  perSecond(): number | null;
  /** Discards earlier measurements. Call after a pause. */
  reset(): void;
}

export function rateOf(): Rate {
  let samples: { at: number; octets: number }[] = [];
  return {
    note(octets, at) {
      samples = [...samples.filter((sample) => sample.at >= at - WINDOW_MS), { at, octets }];
    },
    perSecond() {
      const [first, last] = [samples[0], samples.at(-1)];
      if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return null;
      return Math.max(0, ((last.octets - first.octets) / (last.at - first.at)) * 1000);
    },
    reset() {
      samples = [];
    },
  };
}

/** The remaining time as text, such as "3 min left"; null if the rate is unknown. */
export function timeLeft(octets: number, perSecond: number | null): string | null {
  if (perSecond === null || perSecond < 1) return null;
  const seconds = octets / perSecond;
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds / 5) * 5)} s left`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min left`;
  const minutes = Math.ceil(seconds / 60);
  return seconds < 86_400 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min left` : 'more than a day left';
}
