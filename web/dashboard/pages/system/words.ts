import { number } from '../../../ui/amounts.ts';

/** Numbers with three significant digits. */
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

export function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${number(count)} recipients`;
}

/** Milliseconds as `12 ms` or `3.4 s`. */
export function durationWords(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${short.format(ms)} ms`;
  return Math.abs(ms) < 120_000 ? `${short.format(ms / 1_000)} s` : `${short.format(ms / 60_000)} min`;
}
