/** How long emails take, as a histogram: those of any times and of any parts are added, and percentiles are read from the sum. */

/** Steps of a decade. */
const PER_DECADE = 5;
const FIRST_MS = 100;
/** Up to three days and a half: then nothing is tried any more. */
const BOUNDS = 33;

/** The upper ends of all buckets but the last, in milliseconds. */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, at) =>
  Math.round(FIRST_MS * 10 ** (at / PER_DECADE)),
);
export const LATENCY_BUCKETS = BOUNDS + 1;

/** Whatever is quicker is told as if it was spread from here to the first bound. */
const QUICKEST_MS = 10;

/**
 * How long it took at most for a share of them, within the width of a bucket: inside of it they are taken as spread evenly on the scale of
 * logarithms. Null where there is none.
 * @param buckets how many were in each; those at the end may be left out
 */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const wanted = total * share;
  let before = 0;
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && before + count >= wanted) {
      const from = LATENCY_BOUNDS_MS[at - 1] ?? QUICKEST_MS;
      const until = LATENCY_BOUNDS_MS[at] ?? from * 10 ** (1 / PER_DECADE);
      return Math.round(from * (until / from) ** ((wanted - before) / count));
    }
    before += count;
  }
  return null;
}
