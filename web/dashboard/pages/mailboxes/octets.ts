const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];
const STEP = 1_024;

/** `1.2 GB`: in powers of two, as quotas are counted. */
export function octetsInWords(octets: number): string {
  const step = octets < STEP ? 0 : Math.min(Math.floor(Math.log(octets) / Math.log(STEP)), UNITS.length - 1);
  const value = octets / STEP ** step;
  return `${value.toLocaleString('en', { maximumFractionDigits: value < 10 && step > 0 ? 1 : 0 })} ${UNITS[step]}`;
}

export const OCTETS_OF_MB = STEP * STEP;
