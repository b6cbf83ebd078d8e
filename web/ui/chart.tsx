import { type KeyboardEvent, lazy, type ReactNode, Suspense, useId, useState } from 'react';
import { CHART_DOTS, type ChartColor } from './chart-colors.ts';
import { classes } from './classes.ts';
import { Skeleton } from './skeleton.tsx';
import { stepOfKey } from './step-keys.ts';

const Plot = lazy(() => {
  fixLanguage();
  return import('./plot.tsx');
});

/**
 * Replaces a browser language for which Intl throws, because uPlot passes the language to Intl. Chromium reports such a language,
 * `en-US@posix`, on a system without a locale.
 */
function fixLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
  }
}

export interface ChartSeries {
  name: string;
  color: ChartColor;
  /** One value per step; null leaves a gap. */
  values: readonly (number | null)[];
  /** The total of all steps, shown beside the name. */
  total?: ReactNode;
}

export interface ChartProps {
  /** The accessible name of the chart. */
  label: string;
  /** The full text of each step, shown for the selected step: "Mon, 3 Mar, 06:00 to 12:00 (UTC)". */
  steps: readonly string[];
  /** The short text of each step, for the axis. */
  ticks: readonly string[];
  /** Bars are stacked from bottom to top; lines have gaps at missing values. */
  kind: 'bars' | 'lines';
  series: readonly ChartSeries[];
  /** Formats an exact value. */
  format(value: number): string;
  /** Formats a value for the axis. The text may be shorter than the text from `format`. */
  formatTick?(value: number): string;
  /** Horizontal lines with labels. */
  limits?: readonly { value: number; name: string; tone: 'warn' | 'bad' }[];
  isLogarithmic?: boolean;
  /** Opens what a step counts, on a click or on Enter. Null if the step has nothing to open. */
  opens?(step: number): (() => void) | null;
}

/** A chart over time. The mouse or the arrow keys select a step, whose exact numbers are shown and announced. */
export function Chart(props: ChartProps) {
  const { label, steps, series, format, kind, opens } = props;
  const [at, setAt] = useState<number | null>(null);
  const hint = useId();
  const last = steps.length - 1;
  const told = (step: number) =>
    `${steps[step]}: ${series.map(({ name, values }) => `${name} ${textOf(values[step], format)}`).join(', ')}`;
  const chosen = at === null || at > last ? null : at;
  const open = chosen === null ? null : (opens?.(chosen) ?? null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && open !== null) return open();
    const to = stepOfKey(event.key, at, last);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(to);
  };
  return (
    <div>
      <div
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={chosen ?? last}
        aria-valuetext={told(chosen ?? last)}
        onKeyDown={onKeyDown}
        onBlur={() => setAt(null)}
        // A tap only selects a step.
        onClick={({ nativeEvent }) =>
          nativeEvent instanceof PointerEvent && nativeEvent.pointerType === 'mouse' && open?.()
        }
        {...(opens && { 'aria-describedby': hint })}
        className={classes(
          'relative h-56 rounded-sm focus-visible:outline-offset-4',
          open !== null && 'cursor-pointer',
        )}
      >
        <Suspense fallback={<Skeleton className="h-full" />}>
          <Plot {...props} at={chosen} onAt={setAt} />
        </Suspense>
        {chosen !== null && (
          <div
            aria-hidden="true"
            className={classes(
              'pointer-events-none absolute top-1 z-10 max-w-[min(20rem,80%)] rounded-md bg-raised px-3 py-2 text-sm shadow-high',
              chosen * 2 > last ? 'left-16' : 'right-2',
            )}
          >
            <p className="mb-1 font-medium">{steps[chosen]}</p>
            <ul className="grid gap-0.5">
              {(kind === 'bars' ? series.toReversed() : series).map(({ name, color, values }) => (
                <li key={name} className="flex items-center gap-2">
                  <Dot color={color} />
                  <span className="min-w-0 truncate text-muted">{name}</span>
                  <span className="ml-auto pl-3 font-medium tabular-nums">
                    {textOf(values[chosen], format)}
                  </span>
                </li>
              ))}
            </ul>
            {open !== null && (
              <p className="mt-1 text-xs text-faint">Click or press Enter to see the emails</p>
            )}
          </div>
        )}
      </div>
      {opens && (
        <p id={hint} hidden>
          Press Enter to see the emails of the selected time.
        </p>
      )}
      <ul className="mt-3 flex flex-wrap gap-x-5 gap-y-1 text-sm">
        {series.map(({ name, color, total }) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <Dot color={color} />
            {total !== undefined && <span className="font-medium tabular-nums">{total}</span>}
            <span className="min-w-0 truncate text-muted">{name}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Dot({ color }: { color: ChartColor }) {
  return <span aria-hidden="true" className={classes('size-2 shrink-0 rounded-full', CHART_DOTS[color])} />;
}

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}
