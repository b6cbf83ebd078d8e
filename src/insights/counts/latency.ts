/**
 * Histograms of delivery times. The histograms of any hours and dimensions can be added up, and the percentiles are computed from the sum.
 */

/** The number of buckets per decade. */
const PER_DECADE = 5;
const FIRST_MS = 100;
/** The number of bounds. The last bound is three and a half days; delivery is abandoned before that. */
const BOUNDS = 33;

/** The upper bounds of all buckets but the last, in milliseconds. */
export const LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, at) =>
  Math.round(FIRST_MS * 10 ** (at / PER_DECADE)),
);
export const LATENCY_BUCKETS = BOUNDS + 1;

/** The assumed lower bound of the first bucket. */
const QUICKEST_MS = 10;

/**
 * The time within which the given share (0 to 1) of the emails was delivered, accurate to the width of a bucket. Within a bucket, delivery
 * times are assumed to be spread evenly on a logarithmic scale. Null without delivered emails.
 * @param buckets the count of each bucket; trailing zeros may be missing
 */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const target = total * share;
  let before = 0;
  for (const [at, count] of buckets.entries()) {
    if (count > 0 && before + count >= target) {
      const from = LATENCY_BOUNDS_MS[at - 1] ?? QUICKEST_MS;
      const until = LATENCY_BOUNDS_MS[at] ?? from * 10 ** (1 / PER_DECADE);
      return Math.round(from * (until / from) ** ((target - before) / count));
    }
    before += count;
  }
  return null;
}
