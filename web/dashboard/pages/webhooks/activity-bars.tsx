import type { WebhookActivity } from '../../../../src/contract/dashboard/webhooks.ts';
import { type Bar, Bars } from '../../../ui/bars.tsx';

const HOUR_SECONDS = 3_600;
const hours = new Intl.DateTimeFormat('en-GB', { weekday: 'short', hour: '2-digit', minute: '2-digit' });
const days = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const numbers = new Intl.NumberFormat('en');

/** Attempts per hour or day: failed ones are stacked on successful ones. */
export function ActivityBars({
  activity,
  span,
  className,
}: {
  activity: WebhookActivity;
  span: string;
  className?: string;
}) {
  const { delivered, failed } = totals(activity);
  const label =
    delivered + failed === 0
      ? `No attempts in the last ${span}`
      : `Attempts in the last ${span}: ${numbers.format(delivered)} delivered, ${numbers.format(failed)} failed`;
  return <Bars label={label} bars={barsOf(activity)} {...(className !== undefined && { className })} />;
}

export function totals(activity: WebhookActivity): { delivered: number; failed: number } {
  return { delivered: sum(activity.delivered), failed: sum(activity.failed) };
}

function barsOf({ since, step_seconds, delivered, failed }: WebhookActivity): Bar[] {
  const format = step_seconds === HOUR_SECONDS ? hours : days;
  return delivered.map((good, step) => {
    const bad = failed[step] ?? 0;
    const at = format.format(Date.parse(since) + step * step_seconds * 1_000);
    return {
      label: `${at}: ${numbers.format(good)} delivered, ${numbers.format(bad)} failed`,
      parts: [
        { value: good, tone: 'good' },
        { value: bad, tone: 'bad' },
      ],
    };
  });
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
