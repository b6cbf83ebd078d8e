/** Calendar months in UTC, for which plans limit emails. */
import { firstUuidAt } from './ids.ts';

export interface Month {
  start: Date;
  /** The start of the next month (exclusive). */
  end: Date;
}

export function monthOf(time: Date): Month {
  const [year, month] = [time.getUTCFullYear(), time.getUTCMonth()];
  return { start: new Date(Date.UTC(year, month)), end: new Date(Date.UTC(year, month + 1)) };
}

/** The UUIDv7s of a month: from `first` up to but not including `end`. */
export function uuidsOfMonth({ start, end }: Month): { first: string; end: string } {
  return { first: firstUuidAt(start), end: firstUuidAt(end) };
}

/** The seconds until the next month, for `Retry-After`: a whole number, at least 1. */
export function secondsToNextMonth(time: Date): number {
  return Math.max(1, Math.ceil((monthOf(time).end.getTime() - time.getTime()) / 1000));
}
