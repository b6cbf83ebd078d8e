/** Dates of mail, as short as a row allows. */

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

/** For example "14:03" today, "3 Nov" this year, otherwise "3 Nov 2024". */
export function shortDate(value: string, now = new Date()): string {
  const date = new Date(value);
  if (date.toDateString() === now.toDateString()) return TIME.format(date);
  return (date.getFullYear() === now.getFullYear() ? DAY : YEAR).format(date);
}

/** For example "Mon, 3 Nov 2025, 14:03". */
export function longDate(value: string): string {
  return LONG.format(new Date(value));
}

/** Changes at midnight: mail of today shows its time. */
export function today(): string {
  return new Date().toDateString();
}
