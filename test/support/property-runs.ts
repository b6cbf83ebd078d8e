/** How often property tests run their property. */

/** `npm run test:nightly` sets it. */
const IS_NIGHTLY = process.env['TEST_NIGHTLY'] === 'on';
const MOST_EVERYDAY = 200;

/**
 * The runs of a property that is worth many: at most 200 in everyday suites, all of them in `npm run test:nightly`.
 * @param nightly how many in the nightly suite
 */
export function runs(nightly: number): number {
  return IS_NIGHTLY ? nightly : Math.min(nightly, MOST_EVERYDAY);
}
