/** Days of a vacation, as fields have them. The last one counts. */

/** Where the days begin and end at midnight. */
export interface Calendar {
  /** Below the field of the last day. */
  hint: string;
  /** `2030-07-01`. */
  dayOf(time: Date): string;
  /** @param later in days */
  midnight(day: string, later: number): Date;
}

/** Days of the time zone of the browser. */
export const LOCAL: Calendar = {
  hint: 'It counts. Empty: until you switch it off.',
  dayOf(time) {
    const two = (number: number) => String(number).padStart(2, '0');
    return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  },
  midnight(day, later) {
    const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
    return new Date(year, month - 1, date + later);
  },
};

const DAY_MS = 86_400_000;

/** Days of the command line. */
export const UTC: Calendar = {
  hint: 'It counts. Days end at midnight UTC.',
  dayOf: (time) => time.toISOString().slice(0, 10),
  midnight: (day, later) => new Date(Date.parse(day) + later * DAY_MS),
};

/** @param from a time as the service has it */
export function firstDay({ dayOf }: Calendar, from: string | null): string {
  return from === null ? '' : dayOf(new Date(from));
}

/** @param until when it is over */
export function lastDay({ dayOf }: Calendar, until: string | null): string {
  return until === null ? '' : dayOf(new Date(Date.parse(until) - 1));
}

/** @param day empty: at once @param before kept where the day is that one's: the command line sets times, too */
export function fromOf(calendar: Calendar, day: string, before: string | null): string | null {
  if (day === firstDay(calendar, before)) return before;
  return day === '' ? null : calendar.midnight(day, 0).toISOString();
}

/** @param day empty: until it is switched off @param before as in `fromOf` */
export function untilOf(calendar: Calendar, day: string, before: string | null): string | null {
  if (day === lastDay(calendar, before)) return before;
  return day === '' ? null : calendar.midnight(day, 1).toISOString();
}
