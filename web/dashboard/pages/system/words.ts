/** Numbers as people read them. */
const number = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;

export const countWords = (count: number): string => number.format(count);

export function byteWords(bytes: number): string {
  const at = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), UNITS.length - 1);
  return `${short.format(bytes / 1_000 ** at)} ${UNITS[at]}`;
}

export function recipients(count: number): string {
  return count === 1 ? '1 recipient' : `${countWords(count)} recipients`;
}

/** In milliseconds, as `12 ms` or `3.4 s`. */
export function durationWords(ms: number): string {
  if (Math.abs(ms) < 1_000) return `${short.format(ms)} ms`;
  return Math.abs(ms) < 120_000 ? `${short.format(ms / 1_000)} s` : `${short.format(ms / 60_000)} min`;
}
