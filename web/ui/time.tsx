import { useSyncExternalStore } from 'react';
import { delta, local, relativeTime, sinceTime } from './times.ts';

const TICK_MS = 20_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Subscribes to the clock that all times on a page share. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // Update the clock first, so that a time received just now is not in the future.
  now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function currentTime(): number {
  if (timer === undefined) now = Date.now();
  return now;
}

/** Renders the component again at each tick. A time may be newer than the tick, so the result is the exact time: otherwise the past is "in a moment". */
function useNow(): number {
  useSyncExternalStore(subscribe, currentTime);
  return Date.now();
}

/** The time relative to now, with the exact time on hover. @param value a time from the API; null for never */
export function Time({ value, never = 'Never' }: { value: string | null | undefined; never?: string }) {
  const at = useNow();
  if (!value) return <span className="text-muted">{never}</span>;
  return (
    <time dateTime={value} title={local.exact(value)} className="whitespace-nowrap">
      {relativeTime(value, at)}
    </time>
  );
}

/** The time at which a state began, for a sentence such as "stopped since 04:19". The exact time appears on hover. */
export function Since({ value }: { value: string }) {
  const at = useNow();
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
  const at = useNow();
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
