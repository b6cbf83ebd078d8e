/** How fast it goes, from what has left of late: over so long that pieces and their answers even out. */
const WINDOW_MS = 10_000;
/** Before that nobody knows. */
const LEAST_MS = 1_500;

export interface Rate {
  /** @param octets that have left until now */
  note(octets: number, now: number): void;
  /** Bytes a second; null: too early to say. */
  perSecond(): number | null;
  /** After a pause: what was before says nothing. */
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

/** "3 min left"; null: nobody can say. */
export function timeLeft(octets: number, perSecond: number | null): string | null {
  if (perSecond === null || perSecond < 1) return null;
  const seconds = octets / perSecond;
  if (seconds < 60) return `${Math.max(1, Math.ceil(seconds / 5) * 5)} s left`;
  if (seconds < 3_600) return `${Math.ceil(seconds / 60)} min left`;
  const minutes = Math.ceil(seconds / 60);
  return seconds < 86_400 ? `${Math.floor(minutes / 60)} h ${minutes % 60} min left` : 'more than a day left';
}
