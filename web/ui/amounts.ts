/** Numbers and sizes as text. */
const NUMBER = new Intl.NumberFormat('en');
const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB', 'PB'] as const;

const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
const LARGE_SHARE = new Intl.NumberFormat('en', {
  style: 'percent',
  maximumFractionDigits: 1,
  roundingMode: 'floor',
});

export function number(value: number): string {
  return NUMBER.format(value);
}

/** Formats a size in bytes. All pages use this format. A GB is 1024 · 1024 · 1024 bytes, as in the plans. */
export function bytes(value: number): string {
  const step = value < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(value) / 10));
  const amount = value / 1024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : Number(amount.toFixed(1))} ${UNITS[step]}`;
}

/** Formats a quota in the unit in which it was set: "1 GB", "5,000 MB". */
export function quotaBytes(value: number): string {
  const megabytes = value / 1024 ** 2;
  if (!Number.isInteger(megabytes) || megabytes % 1024 === 0) return bytes(value);
  return `${number(megabytes)} MB`;
}

/** For example "1 email" or "2 emails". */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

/** Formats a share of a whole. Large shares are rounded down, so that "100%" means everything. @param share from 0 to 1 */
export function percentage(share: number): string {
  // A double may be slightly less than its decimal: 0.995 would become "99.4%".
  return share < 0.9 ? SHARE.format(share) : LARGE_SHARE.format(share + 1e-12);
}
