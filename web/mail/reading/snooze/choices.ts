/** Suggested times until which to snooze mail, in the browser's time zone. */

export interface SnoozeChoice {
  label: string;
  at: Date;
}

const MORNING = 8;
const LATER_HOURS = 3;
/** "Later today" is not offered if it would be later than this hour. */
const LATEST = 22;
const [MONDAY, SATURDAY] = [1, 6];

export function snoozeChoices(now: Date): SnoozeChoice[] {
  const day = (days: number, hour: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const to = (weekday: number) => (weekday + 7 - now.getDay()) % 7 || 7;
  const hour = now.getHours() + LATER_HOURS + (now.getMinutes() > 0 ? 1 : 0);
  const isWeekend = now.getDay() === 0 || now.getDay() === SATURDAY;
  return [
    ...(hour <= LATEST ? [{ label: 'Later today', at: day(0, hour) }] : []),
    { label: 'Tomorrow', at: day(1, MORNING) },
    // On Friday, the weekend begins tomorrow.
    ...(isWeekend || to(SATURDAY) === 1 ? [] : [{ label: 'This weekend', at: day(to(SATURDAY), MORNING) }]),
    // On Sunday, the next week begins tomorrow.
    ...(to(MONDAY) === 1 ? [] : [{ label: 'Next week', at: day(to(MONDAY), MORNING) }]),
  ];
}
