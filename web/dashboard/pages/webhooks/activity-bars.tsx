import type { WebhookActivity } from '../../../../src/contract/dashboard/webhooks.ts';
import { type Bar, Bars } from '../../../ui/bars.tsx';
import { number } from '../../../ui/amounts.ts';
import { utc, local } from '../../../ui/times.ts';

const HOUR_SECONDS = 3_600;

/** Attempts per hour or day. Failed attempts are stacked on successful attempts. */
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
      : `Attempts in the last ${span}: ${number(delivered)} delivered, ${number(failed)} failed`;
  return <Bars label={label} bars={barsOf(activity)} {...(className !== undefined && { className })} />;
}

export function totals(activity: WebhookActivity): { delivered: number; failed: number } {
  return { delivered: sum(activity.delivered), failed: sum(activity.failed) };
}

function barsOf({ since, step_seconds, delivered, failed }: WebhookActivity): Bar[] {
  const format = step_seconds === HOUR_SECONDS ? local.weekdayTime : utc.weekday;
  return delivered.map((good, step) => {
    const bad = failed[step] ?? 0;
    const at = format(Date.parse(since) + step * step_seconds * 1_000);
    return {
      label: `${at}: ${number(good)} delivered, ${number(bad)} failed`,
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
