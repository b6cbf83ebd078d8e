/**
 * Converts between the days in the vacation form and the times in the API. The form includes the last day, and the API's end time is
 * exclusive.
 */

/** The time zone in which days begin and end. */
export interface Calendar {
  /** The hint below the field of the last day. */
  hint: string;
  /** The day of a time, for example `2030-07-01`. */
  dayOf(time: Date): string;
  /** The midnight at which a day begins. @param later the number of days to add */
  midnight(day: string, later: number): Date;
}

/** Days in the time zone of the browser. */
export const LOCAL: Calendar = {
  hint: 'Replies are sent through this day. Leave empty for no end date.',
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

/** Days in UTC, as on the command line. */
export const UTC: Calendar = {
  hint: 'Replies are sent through this day, until midnight UTC.',
  dayOf: (time) => time.toISOString().slice(0, 10),
  midnight: (day, later) => new Date(Date.parse(day) + later * DAY_MS),
};

/** The value of the form's first day. @param from the start of the vacation in the API's format */
export function firstDay({ dayOf }: Calendar, from: string | null): string {
  return from === null ? '' : dayOf(new Date(from));
}

/** The value of the form's last day. @param until the end of the vacation in the API's format, exclusive */
export function lastDay({ dayOf }: Calendar, until: string | null): string {
  return until === null ? '' : dayOf(new Date(Date.parse(until) - 1));
}

/**
 * The start of the vacation in the API's format.
 * @param day empty to start immediately
 * @param before the current start. Returned unchanged if it is on `day`, because the command line can set a time of day
 */
export function fromOf(calendar: Calendar, day: string, before: string | null): string | null {
  if (day === firstDay(calendar, before)) return before;
  return day === '' ? null : calendar.midnight(day, 0).toISOString();
}

/** The end of the vacation in the API's format, exclusive. @param day empty for no end @param before as in `fromOf` */
export function untilOf(calendar: Calendar, day: string, before: string | null): string | null {
  if (day === lastDay(calendar, before)) return before;
  return day === '' ? null : calendar.midnight(day, 1).toISOString();
}
