/** The upload rate is measured over this time: long enough to average out pieces and their responses. */
const WINDOW_MS = 10_000;
/** No rate is reported before this time has passed. */
const LEAST_MS = 1_500;

export interface Rate {
  /** @param octets bytes sent so far */
  note(octets: number, now: number): void;
  /** Bytes per second; null if it is too early to tell. */
  perSecond(): number | null;
  /** After a pause, earlier measurements no longer count. */
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

/** For example "3 min left"; null if unknown. */
export function timeLeft(octets: number, perSecond: number | null): string | null {
  if (perSecond === null || perSecond < 1) return null;
  const seconds = octets / perSecond;
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds / 5) * 5)} s left`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min left`;
  const minutes = Math.ceil(seconds / 60);
  return seconds < 86_400 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min left` : 'more than a day left';
}
