import { local } from '../../ui/times.ts';

/** A date as short as possible: "14:03" today, "Yesterday", "3 Nov" this year, otherwise "3 Nov 2024". */
export function shortDate(value: string, now = new Date()): string {
  const date = new Date(value);
  if (date.toDateString() === now.toDateString()) return local.time(date);
  const yesterday = new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1);
  if (date.toDateString() === yesterday.toDateString()) return 'Yesterday';
  return date.getFullYear() === now.getFullYear() ? local.dayMonth(date) : local.date(date);
}

/** Today's date as text, for components that must render again at midnight, because rows show the time for today's mail. */
export function today(): string {
  return new Date().toDateString();
}
