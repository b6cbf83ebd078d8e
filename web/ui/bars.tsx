import { type KeyboardEvent, useState } from 'react';
import { classes } from './classes.ts';
import { stepOfKey } from './step-keys.ts';
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
  /** Opens what the bar counts, on a click or on Enter. */
  onOpen?: () => void;
}

export interface BarsProps {
  /** A sentence that sums up the bars, for screen readers. */
  label: string;
  bars: readonly Bar[];
  className?: string;
}

/** A small bar chart over equal time steps. The class name must set a height. The arrow keys select a bar if a bar can be opened. */
export function Bars({ label, bars, className }: BarsProps) {
  const height = classes('h-16', className);
  return bars.some(({ onOpen }) => onOpen !== undefined) ? (
    <SelectableBars label={label} bars={bars} className={height} />
  ) : (
    <Drawing label={label} bars={bars} className={height} />
  );
}

function SelectableBars({ label, bars, className }: BarsProps) {
  const [at, setAt] = useState<number | null>(null);
  const last = bars.length - 1;
  const selected = at === null ? undefined : bars[at];
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') return selected?.onOpen?.();
    const to = stepOfKey(event.key, at, last);
    if (to === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setAt(to);
  };
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at ?? last}
      aria-valuetext={selected === undefined ? 'Select a bar with the arrow keys' : textOf(selected)}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(null)}
      className={classes('relative rounded-sm focus-visible:outline-offset-4', className)}
    >
      <Drawing bars={bars} className="h-full" selected={at} />
      {selected !== undefined && (
        <p
          aria-hidden="true"
          className="pointer-events-none absolute top-1 left-1 z-10 max-w-[90%] rounded-md bg-raised px-3 py-2 text-sm shadow-high"
        >
          {textOf(selected)}
        </p>
      )}
    </div>
  );
}

function textOf({ label, onOpen }: Bar): string {
  return onOpen === undefined ? label : `${label}. Press Enter to see the emails`;
}

/** @param props.label absent if the drawing is part of a control that is named so */
function Drawing({
  label,
  bars,
  className,
  selected,
}: Partial<BarsProps> & Pick<BarsProps, 'bars'> & { selected?: number | null }) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0));
  const highest = Math.max(1, ...sums);
  const width = Math.max(1, bars.length) * STEP - GAP;
  return (
    <svg
      {...(label === undefined ? { 'aria-hidden': true } : { role: 'img', 'aria-label': label })}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      className={classes('block w-full', className)}
    >
      {bars.map(({ label: what, parts, onOpen }, at) => {
        let top = HEIGHT;
        return (
          <g key={what} onClick={onOpen} className={onOpen && 'cursor-pointer'}>
            <title>{what}</title>
            <rect
              x={at * STEP}
              y={0}
              width={STEP - GAP}
              height={HEIGHT}
              className={at === selected ? 'fill-quiet-soft' : 'fill-transparent'}
            />
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
