/** The hours in which a subscriber gets no messages, in the subscriber's time zone. */

export interface QuietHours {
  /** Minutes after midnight. */
  from: number;
  /** Minutes after midnight. Earlier than `from`: on the next day. */
  until: number;
  /** An IANA name. */
  timeZone: string;
}

/** The quiet hours of a subscription, as stored. */
interface SubscribedHours {
  quietFrom: number | null;
  quietUntil: number | null;
  timeZone: string;
}

const HOUR = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** Whether a wall clock in the time zone shows a quiet hour. */
export function isQuiet({ from, until, timeZone }: QuietHours, time: Date): boolean {
  const minute = minuteOfDay(time, timeZone);
  return from <= until ? minute >= from && minute < until : minute >= from || minute < until;
}

/** Whether a subscription, which may have no quiet hours, is quiet now. */
export function isQuietFor(
  { quietFrom: from, quietUntil: until, timeZone }: SubscribedHours,
  time: Date,
): boolean {
  return from !== null && until !== null && isQuiet({ from, until, timeZone }, time);
}

/** The wall clock decides, so quiet hours are an hour shorter or longer in nights in which clocks change. */
function minuteOfDay(time: Date, timeZone: string): number {
  const text = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone,
  }).format(time);
  return minutesOf(text);
}

/** @param text such as `22:00` */
export function minutesOf(text: string): number {
  const [, hours, minutes] = HOUR.exec(text) ?? [];
  if (hours === undefined || minutes === undefined) throw new TypeError(`not a time of day: ${text}`);
  return Number(hours) * 60 + Number(minutes);
}

/** @param minutes after midnight */
export function clockTimeOf(minutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

/** Whether there are rules for the time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
