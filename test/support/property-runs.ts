/** Determines the number of runs for property tests. */

/** Whether `npm run test:nightly` runs this test. */
const IS_NIGHTLY = process.env['TEST_NIGHTLY'] === 'on';
const MOST_EVERYDAY = 200;

/**
 * The number of runs for a property test: at most 200 in everyday suites, and `nightly` in `npm run test:nightly`.
 * @param nightly number of runs in the nightly suite
 */
export function runs(nightly: number): number {
  return IS_NIGHTLY ? nightly : Math.min(nightly, MOST_EVERYDAY);
}
