import { classes } from './classes.ts';

export interface MeterProps {
  /** The usage as text for screen readers: "12 MB of 1 GB used". */
  label: string;
  /** The used share of the limit, from 0 to 1. Larger values are shown as 1. */
  value: number;
  className?: string;
}

const NARROW = 0.8;
const FULL = 0.95;

/** The usage of a limit. The color warns at 80% or more; the label has the numbers. */
export function Meter({ label, value, className }: MeterProps) {
  const part = Math.min(Math.max(value, 0), 1);
  const tone = part >= FULL ? 'fill-bad' : part >= NARROW ? 'fill-warn' : 'fill-accent';
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      className={classes('h-1.5 w-full overflow-hidden rounded-full', className)}
    >
      <rect width="100" height="6" className="fill-quiet-soft" />
      {/* A minimum width, so that any usage is visible. */}
      <rect width={part === 0 ? 0 : Math.max(part * 100, 1)} height="6" className={tone} />
    </svg>
  );
}
