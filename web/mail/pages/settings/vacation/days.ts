/** Days of a vacation, as fields have them: they begin at midnight where its owner is, and the last one counts. */

/** @param from a time as the service has it */
export function firstDay(from: string | null): string {
  return from === null ? '' : dayOf(new Date(from));
}

/** @param until when it is over */
export function lastDay(until: string | null): string {
  return until === null ? '' : dayOf(new Date(Date.parse(until) - 1));
}

/** @param day empty: at once @param before what stays where the day is that one's: times are set elsewhere, too */
export function fromOf(day: string, before: string | null): string | null {
  if (day === firstDay(before)) return before;
  return day === '' ? null : midnight(day, 0);
}

/** @param day empty: until it is switched off */
export function untilOf(day: string, before: string | null): string | null {
  if (day === lastDay(before)) return before;
  return day === '' ? null : midnight(day, 1);
}

function midnight(day: string, later: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).toISOString();
}

function dayOf(time: Date): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
}
