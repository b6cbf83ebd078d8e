import { classes } from './classes.ts';

export interface MeterProps {
  /** What is used, for people who do not see it: "12 MB of 1 GB used". */
  label: string;
  /** From 0 to 1; more is shown as 1. */
  value: number;
  className?: string;
}

const NARROW = 0.8;
const FULL = 0.95;

/** How much of a limit is used. Its colour warns from 80 % on; the label has the numbers. */
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
      {/* The least that is seen, where there is anything. */}
      <rect width={part === 0 ? 0 : Math.max(part * 100, 1)} height="6" className={tone} />
    </svg>
  );
}
