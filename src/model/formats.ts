/** Numbers and dates in sentences that the service writes, in the formats of the pages. */

const NUMBER = new Intl.NumberFormat('en');
/** Shares below 1 % are compared with limits of a tenth of a percent. */
const [COARSE, FINE] = [1, 2].map(
  (maximumFractionDigits) => new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits }),
) as [Intl.NumberFormat, Intl.NumberFormat];
const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Such as "12,345". */
export function countText(value: number): string {
  return NUMBER.format(value);
}

/** Such as "8.1%". @param share from 0 to 1 */
export function percentageText(share: number): string {
  return (share < 0.01 ? FINE : COARSE).format(share);
}

/** Such as "3 Nov 2025", in UTC. */
export function dateText(time: Date | number): string {
  return DATE.format(time);
}
