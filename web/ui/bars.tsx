import { classes } from './classes.ts';
import type { Tone } from './badge.tsx';

const FILLS: Readonly<Record<Tone, string>> = {
  good: 'fill-good',
  warn: 'fill-warn',
  bad: 'fill-bad',
  info: 'fill-accent',
  quiet: 'fill-edge',
};
const HEIGHT = 40;
const STEP = 10;
const GAP = 2;
const MIN_HEIGHT = 1.5;

export interface Bar {
  /** The text on hover: "Monday: 12 delivered". */
  label: string;
  /** The parts of the bar, from bottom to top. */
  parts: readonly { value: number; tone: Tone }[];
  /** Opens what the bar counts. A page with such bars needs another way to it, because bars cannot be reached by keyboard. */
  onOpen?: () => void;
}

export interface BarsProps {
  /** A sentence that sums up the bars, for screen readers. */
  label: string;
  bars: readonly Bar[];
  className?: string;
}

/** A small bar chart over equal time steps. The class name must set a height. */
export function Bars({ label, bars, className }: BarsProps) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const highest = Math.max(1, ...sums);
  const width = Math.max(1, bars.length) * STEP - GAP;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes('block h-16 w-full', className)}
    >
      {bars.map(({ label: what, parts, onOpen }, at) => {
        let top = HEIGHT;
        return (
          <g key={what} onClick={onOpen} className={onOpen && 'cursor-pointer'}>
            <title>{what}</title>
            <rect x={at * STEP} y={0} width={STEP - GAP} height={HEIGHT} className="fill-transparent" />
            <rect x={at * STEP} y={HEIGHT - 1} width={STEP - GAP} height={1} className="fill-line" />
            {parts.map(({ value, tone }) => {
              if (value === 0) return null;
              const height = Math.max(MIN_HEIGHT, (value / highest) * HEIGHT);
              top -= height;
              return (
                <rect
                  key={tone}
                  x={at * STEP}
                  y={Math.max(0, top)}
                  width={STEP - GAP}
                  height={height}
                  className={FILLS[tone]}
                />
              );
            })}
          </g>
        );
      })}
    </svg>
  );
}
