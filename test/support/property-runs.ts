/** Number of runs of property tests. */

/** Set by `npm run test:nightly`. */
const IS_NIGHTLY = process.env['TEST_NIGHTLY'] === 'on';
const MOST_EVERYDAY = 200;

/**
 * Runs of a property: at most 200 in everyday suites, all of them in `npm run test:nightly`.
 * @param nightly number of runs in the nightly suite
 */
export function runs(nightly: number): number {
  return IS_NIGHTLY ? nightly : Math.min(nightly, MOST_EVERYDAY);
}
