import { useSyncExternalStore } from 'react';
import { delta, local, relativeTime, sinceTime } from './times.ts';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Subscribes to the clock that all times on a page share. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** The end of the current second, so that it is the same for a while, and no time received just now is in the future. */
function currentTime(): number {
  return Math.ceil(Date.now() / 1_000) * 1_000;
}

/** The time relative to now, with the exact time on hover. @param value a time from the API; null for never */
export function Time({ value, never = 'Never' }: { value: string | null | undefined; never?: string }) {
  const at = useSyncExternalStore(subscribe, currentTime);
  if (!value) return <span className="text-muted">{never}</span>;
  return (
    <time dateTime={value} title={local.exact(value)} className="whitespace-nowrap">
      {relativeTime(value, at)}
    </time>
  );
}

/** The time at which a state began, for a sentence such as "stopped since 04:19". The exact time appears on hover. */
export function Since({ value }: { value: string }) {
  const at = useSyncExternalStore(subscribe, currentTime);
  return (
    <time
      dateTime={value}
      title={`${local.exact(value)}, ${relativeTime(value, at)}`}
      className="whitespace-nowrap tabular-nums"
    >
      {sinceTime(value, at)}
    </time>
  );
}

interface MomentProps {
  /** A time from the API. */
  value: string;
  /** The time of the event before. The date is shown only if it differs. */
  earlier?: string | undefined;
}

/** The exact time in a sequence of events, and the time since the event before. The relative time appears on hover. */
export function Moment({ value, earlier }: MomentProps) {
  const at = useSyncExternalStore(subscribe, currentTime);
  const date = local.date(value);
  return (
    <>
      {earlier !== undefined && <span className="mr-2 whitespace-nowrap">{delta(value, earlier)}</span>}
      <time
        dateTime={value}
        title={`${local.exact(value)}, ${relativeTime(value, at)}`}
        className="whitespace-nowrap"
      >
        {(earlier === undefined || local.date(earlier) !== date) && `${date}, `}
        {local.clock(value)}
      </time>
    </>
  );
}
