/** When mail came, as short as a row allows. */

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const YEAR = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const LONG = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
});

/** "14:03" today, "3 Nov" this year, else "3 Nov 2024". */
export function shortDate(value: string, now = new Date()): string {
  const date = new Date(value);
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : YEAR).format(date);
}

/** "Mon, 3 Nov 2025, 14:03" */
export function longDate(value: string): string {
  return LONG.format(new Date(value));
}

/** Another one after midnight: what is of today is said by its time. */
export function today(): string {
  return new Date().toDateString();
}
