import type { Metrics } from '../../../../src/contract/dashboard/metrics.ts';
import { Time } from '../../../ui/time.tsx';

/** A smaller delay of later outcomes is not mentioned. */
const SHOWN_DELAY_MS = 10 * 60_000;

/** How old the numbers on a page are. */
export function Updated({ counted_at, outcomes_at }: Pick<Metrics, 'counted_at' | 'outcomes_at'>) {
  if (counted_at === null) return <>Not counted yet.</>;
  const isDelayed = outcomes_at !== null && Date.parse(outcomes_at) < Date.parse(counted_at) - SHOWN_DELAY_MS;
  return (
    <>
      Updated <Time value={counted_at} />.
      {isDelayed && (
        <>
          {' '}
          Opens and bounces of older emails are counted at least up to <Time value={outcomes_at} />.
        </>
      )}
    </>
  );
}
