import type { MailLabel } from '../../../../src/contract/mail/labels.ts';
import { classes } from '../../../ui/classes.ts';

type Color = NonNullable<MailLabel['color']>;

/** Each color is paired with the name of the label, so the color carries no information by itself. */
const DOTS: Readonly<Record<Color, string>> = {
  red: 'bg-bad',
  orange: 'bg-chart-2',
  yellow: 'bg-chart-8',
  green: 'bg-chart-6',
  teal: 'bg-chart-3',
  blue: 'bg-chart-1',
  purple: 'bg-chart-4',
  pink: 'bg-chart-5',
};

/** The color of a label, as a dot. */
export function LabelDot({ color, className }: { color: MailLabel['color']; className?: string }) {
  return (
    <span
      aria-hidden="true"
      className={classes('size-2 shrink-0 rounded-full', color === null ? 'bg-edge' : DOTS[color], className)}
    />
  );
}

/** The name of a label with its color. */
export function LabelChip({ label: { name, color } }: { label: Pick<MailLabel, 'name' | 'color'> }) {
  return (
    <span className="inline-flex h-5 max-w-32 items-center gap-1.5 rounded-full border border-line bg-page px-1.5 text-xs text-muted">
      <LabelDot color={color} />
      <bdi className="min-w-0 truncate">{name}</bdi>
    </span>
  );
}
