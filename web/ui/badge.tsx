import type { ReactNode } from 'react';
import { classes } from './classes.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'info' | 'quiet';

const TONES: Readonly<Record<Tone, string>> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  info: 'bg-info-soft text-accent',
  quiet: 'bg-quiet-soft text-muted',
};

/** A short label that stands out. */
export function Badge({ tone = 'quiet', children }: { tone?: Tone; children: ReactNode }) {
  return (
    <span
      className={classes(
        'inline-flex h-5.5 max-w-full items-center gap-1.5 rounded-full px-2 text-xs font-medium whitespace-nowrap',
        TONES[tone],
      )}
    >
      {children}
    </span>
  );
}

const STATUS_TONES: Readonly<Record<string, Tone>> = {
  accepted: 'info',
  active: 'good',
  bounced: 'bad',
  cancelled: 'quiet',
  clicked: 'good',
  complained: 'bad',
  deferred: 'warn',
  delayed: 'warn',
  delivered: 'good',
  disabled: 'warn',
  expired: 'quiet',
  failed: 'bad',
  fulfilled: 'good',
  missing: 'bad',
  mismatch: 'bad',
  opened: 'good',
  partially_delivered: 'warn',
  paused: 'warn',
  pending: 'warn',
  processing: 'info',
  published: 'good',
  queued: 'info',
  rejected: 'bad',
  revoked: 'quiet',
  scheduled: 'info',
  sending: 'info',
  sent: 'info',
  succeeded: 'good',
  suppressed: 'warn',
  temporary_failure: 'warn',
  unsubscribed: 'quiet',
  verified: 'good',
  warning: 'warn',
};

/** A status from the API with its color and a dot, so that the color is not the only sign. */
export function Status({ value, tone }: { value: string; tone?: Tone }) {
  const words = value.replaceAll('_', ' ');
  return (
    <Badge tone={tone ?? STATUS_TONES[value] ?? 'quiet'}>
      <span aria-hidden="true" className="size-1.5 rounded-full bg-current" />
      {words.charAt(0).toUpperCase() + words.slice(1)}
    </Badge>
  );
}
