const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';
/** The offset of each named zone, in hours. Other names have no known meaning (RFC 5322, section 4.3). */
const ZONE_HOURS: Readonly<Record<string, number>> = {
  ut: 0,
  gmt: 0,
  edt: -4,
  est: -5,
  cdt: -5,
  cst: -6,
  mdt: -6,
  mst: -7,
  pdt: -7,
  pst: -8,
};
const DATE =
  /^(?:[a-z]{2,9},?\s{0,9})?(\d{1,3})[\s-]{1,9}([a-z]{3})[a-z]{0,6}[\s-]{1,9}(\d{2,4})(?:\s{1,9}(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.\d{1,9})?(?:\s{0,9}([+-]\d{4}|[a-z]{1,5}))?)?/i;
const COMMENT = /\([^()]{0,200}\)/g;

/** The parsed value of a Date field (RFC 5322, sections 3.3 and 4.3). */
export interface SentDate {
  at: Date;
  /** The day in the field, without conversion to another zone: `2026-11-22`. */
  day: string;
}

/** Parses a Date field. Never throws. @returns null if the value is not a date */
export function readDate(value: string): SentDate | null {
  const match = DATE.exec(value.slice(0, 500).replace(COMMENT, ' ').trim());
  if (match === null) return null;
  const at = MONTHS.indexOf((match[2] as string).toLowerCase());
  if (at === -1 || at % 3 !== 0) return null;
  const year = fullYear(match[3] as string);
  const [day, hour, minute, second] = [match[1], match[4], match[5], match[6]].map((text) =>
    Number(text ?? 0),
  );
  const ms = Date.UTC(year, at / 3, day, hour, minute, second);
  const midnight = new Date(Date.UTC(year, at / 3, day));
  const isRight =
    midnight.getUTCDate() === day && Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  if (!isRight || year < 1900) return null;
  return {
    at: new Date(ms - offsetMinutes(match[7] ?? '') * 60_000),
    day: midnight.toISOString().slice(0, 10),
  };
}

/** Expands years of two and three digits (RFC 5322, section 4.3). */
function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length >= 4) return year;
  return year + (digits.length === 2 && year < 50 ? 2000 : 1900);
}

function offsetMinutes(zone: string): number {
  if (/^[+-]/.test(zone)) {
    const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
    return zone.startsWith('-') ? -minutes : minutes;
  }
  return (ZONE_HOURS[zone.toLowerCase()] ?? 0) * 60;
}
