import type { ReactNode } from 'react';
import type { Usage } from '../../../../src/contract/dashboard/usage.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Bars } from '../../../ui/bars.tsx';
import { Card } from '../../../ui/card.tsx';
import { classes } from '../../../ui/classes.ts';
import { utc } from '../../../ui/times.ts';

interface LimitProps {
  title: string;
  amount: Usage['emails'];
  /** The usage per day; null for a day that was not counted. */
  days: readonly { day: string; value: number | null; onOpen?: () => void }[];
  /** The unit, in the singular and the plural. */
  unit: readonly [one: string, many: string];
  /** Whether the usage is the sum of the days. Otherwise the value of each day is a separate level. */
  isSum?: boolean;
  show(value: number): string;
  /** The used amount, if it is a link. */
  used?: ReactNode;
  /** The effect of reaching the limit. */
  over: string;
  /** Explains which usage is part of the limit. */
  children?: ReactNode;
}

const NEAR = 0.8;

/** The usage of one limit, and its history. */
export function Limit({
  title,
  amount,
  days,
  unit,
  isSum = false,
  show,
  used: shown,
  over,
  children,
}: LimitProps) {
  const { used, limit } = amount;
  const share = limit === null ? 0 : Math.min(1, used / Math.max(1, limit));
  const named = (value: number) => `${show(value)} ${value === 1 ? unit[0] : unit[1]}`;
  const counted = days.flatMap(({ value }) => value ?? []);
  const highest = Math.max(0, ...counted);
  return (
    <Card
      title={title}
      aside={
        limit !== null &&
        (used >= limit ? (
          <Badge tone="bad">Limit reached</Badge>
        ) : (
          share >= NEAR && <Badge tone="warn">{Math.floor(share * 100)}% used</Badge>
        ))
      }
    >
      <p>
        <span className="text-2xl font-semibold tabular-nums">{shown ?? show(used)}</span>{' '}
        <span className="text-muted">{limit === null ? 'no limit' : `of ${show(limit)}`}</span>
      </p>
      {limit !== null && (
        <div
          role="meter"
          aria-label={title}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={`${show(used)} of ${show(limit)}`}
          className="mt-2 h-1.5 overflow-hidden rounded-full bg-quiet-soft"
        >
          <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true" className="block size-full">
            <rect
              width={share * 100}
              height={1}
              className={classes(share >= 1 ? 'fill-bad' : share >= NEAR ? 'fill-warn' : 'fill-accent')}
            />
          </svg>
        </div>
      )}
      {counted.length > 0 && (
        <>
          <p aria-hidden="true" className="mt-4 mb-1 text-xs text-muted">
            Last {days.length} days
          </p>
          <Bars
            label={
              isSum
                ? `The last ${days.length} days: ${named(counted.reduce((sum, value) => sum + value, 0))}, at most ${show(highest)} on a day.`
                : `The last ${days.length} days: at most ${named(highest)}.`
            }
            bars={days.map(({ day, value, onOpen }) => ({
              label: `${utc.weekday(day)}: ${value === null ? 'no data' : named(value)}`,
              parts: [{ value: value ?? 0, tone: 'info' }],
              ...(onOpen && { onOpen }),
            }))}
          />
          <p aria-hidden="true" className="mt-1 flex justify-between text-xs text-muted">
            <span>{days[0] && utc.weekday(days[0].day)}</span>
            <span>Today</span>
          </p>
        </>
      )}
      <div className="mt-3 grid gap-1 text-sm text-pretty text-muted">
        {children !== undefined && <p>{children}</p>}
        {limit !== null && <p>{over}</p>}
      </div>
    </Card>
  );
}
